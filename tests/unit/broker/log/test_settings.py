from __future__ import annotations

from tidemark.log.settings import LogSettings


def test_topic_configs_have_kafkas_names() -> None:
    settings = LogSettings.from_configs(
        {
            "segment.bytes": "1048576",
            "cleanup.policy": "compact, delete",
            "min.cleanable.dirty.ratio": "0.1",
            "retention.ms": "-1",
            "flush.messages": "10",
            "preallocate": "false",
        },
        waits_for_sync=True,
    )
    assert settings == LogSettings(
        segment_bytes=1_048_576,
        cleanup_policy=frozenset({"compact", "delete"}),
        min_cleanable_dirty_ratio=0.1,
        retention_ms=-1,
        flush_messages=10,
        waits_for_sync=True,
        batch_bytes_max=1_048_576,
    )
    assert (settings.compacts, settings.deletes) == (True, True)


def test_missing_configs_have_kafkas_defaults() -> None:
    assert LogSettings.from_configs({}) == LogSettings()
    limited = LogSettings.from_configs({"max.decompressed.message.bytes": "100"})
    assert limited.max_decompressed_message_bytes == 100
    assert LogSettings().retention_ms == 604_800_000
    assert LogSettings.from_configs({"cleanup.policy": ""}).cleanup_policy == frozenset()
