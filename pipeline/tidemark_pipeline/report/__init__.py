"""One self-contained HTML page about a log of committed offsets."""

from tidemark_pipeline.report.data import ReportData
from tidemark_pipeline.report.page import page

__all__ = ["ReportData", "page"]
