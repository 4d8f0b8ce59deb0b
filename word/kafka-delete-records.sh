#!/bin/sh
# Written by tidemark install-shims.
exec /work/main/.venv/bin/python -m tidemark delete-records "$@"
