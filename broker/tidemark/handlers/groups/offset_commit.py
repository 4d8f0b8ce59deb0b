"""OffsetCommit: a group stores how far it has read. Checks in Kafka's order: topics first, then the group,
then each value.

v0-1  before groups had retention of their own (v0 once meant ZooKeeper); v1 brings commit timestamps. Kafka 4
      has neither
v2-4  retention_time_ms per request (KIP-211 removed it in v5)
v6    leader epoch per partition (KIP-320)
v7    group_instance_id (KIP-345)
v9    member epoch of the new protocol may stand in generation_id (KIP-848)
v10   topics by id (KIP-848)
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.result import Event, Record, Result, Steps
from tidemark.groups.forgetting import TOMBSTONE_BYTES, batch_bytes_max
from tidemark.groups.state import Groups
from tidemark.groups.topic_responses import merge, split
from tidemark.handlers.routes import command
from tidemark.metadata.model import Topic
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.wire import java_long

NOT_GIVEN: Final = -1
TOPIC_IDS_FROM: Final = 10
STEP_TOPICS: Final = 64
STEP_PARTITIONS: Final = 500
# Bytes of a commit besides its names: varints, key, and the value in its shortest version.
COMMIT_BYTES_MIN: Final = TOMBSTONE_BYTES + 24

# This is the hot path: to look a member up in an enum or a class costs as much as a call.
READ: Final = Operation.READ
GROUP: Final = ResourceType.GROUP
TOPIC: Final = ResourceType.TOPIC

Asked = tuple[OffsetCommitRequestTopic, Topic, list[OffsetCommitRequestPartition]]
Refused = dict[tuple[str, bytes], OffsetCommitResponseTopic]
Made = tuple[list[Record], OffsetCommitResponseTopic]


@command(OffsetCommitRequest, state=Groups, versions=range(0, 11))
def offset_commit(groups: Groups, ctx: Context, request: OffsetCommitRequest) -> Result[OffsetCommitResponse]:
    if not ctx.allowed(READ, GROUP, request.group_id):
        return Result(error_response(request, ErrorCode.GROUP_AUTHORIZATION_FAILED))
    refused: Refused = {}
    commits = _sort_out(ctx, request.topics, refused)
    return _decided(groups, ctx, request, commits, refused)


def offset_commit_in_steps(
    groups: Groups, ctx: Context, request: OffsetCommitRequest
) -> Steps[Result[OffsetCommitResponse]]:
    """Decide a commit for thousands of partitions."""
    if not ctx.allowed(READ, GROUP, request.group_id):
        return Result(error_response(request, ErrorCode.GROUP_AUTHORIZATION_FAILED))
    refused: Refused = {}
    commits: list[Asked] = []
    for start in range(0, len(request.topics), STEP_TOPICS):
        commits += _sort_out(ctx, request.topics[start : start + STEP_TOPICS], refused)
        yield 0
    commits = _still_there(ctx, commits, refused)
    # As for any commit whose records no batch can take. They are not made.
    too_large = bool(commits) and _bytes_at_least(request.group_id, commits) > batch_bytes_max(ctx.cluster)
    made: dict[int, Made] = {}
    if not too_large:
        for commit in commits:
            made[id(commit[0])] = yield from _made(groups, ctx, request, commit)
        commits = _still_there(ctx, commits, refused)
    if not commits:
        return Result(_answer(refused, []))
    try:
        notes = _check_group(groups, ctx, request)
        if too_large:
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    except KafkaError as error:
        return Result(_answer(refused, [_refuse(asked, given, error.code) for asked, _, given in commits]))
    records: list[Record] = []
    answered: list[OffsetCommitResponseTopic] = []
    for asked, _, _ in commits:
        some, answer = made[id(asked)]
        records += some
        answered.append(answer)
    return Result(_answer(refused, answered), tuple(records), notes)


def _still_there(ctx: Context, commits: list[Asked], refused: Refused) -> list[Asked]:
    """Return the commits without those to topics that were deleted since, which are added to refused."""
    found: list[Asked] = []
    for commit in commits:
        asked, topic, given = commit
        if ctx.cluster.topics_by_id.get(topic.topic_id) is topic:
            found.append(commit)
        else:
            _put(refused, asked, given, _why_unknown(ctx, asked))
    return found


def _made(groups: Groups, ctx: Context, request: OffsetCommitRequest, commit: Asked) -> Steps[Made]:
    """Make the records of a commit to one topic, and the response if they are accepted."""
    asked, topic, given = commit
    records: list[Record] = []
    answer = OffsetCommitResponseTopic(asked.name, asked.topic_id)
    for start in range(0, len(given), STEP_PARTITIONS):
        part = given[start : start + STEP_PARTITIONS]
        records += _records(groups, ctx, request, [(asked, topic, part)])
        answer.partitions += _stored_or_too_large(groups, asked, part).partitions
        yield 0
    return records, answer


def _bytes_at_least(group_id: str, commits: list[Asked]) -> int:
    each = COMMIT_BYTES_MIN + len(group_id)
    return sum((each + len(topic.name)) * len(given) for _, topic, given in commits)


def _decided(
    groups: Groups, ctx: Context, request: OffsetCommitRequest, commits: list[Asked], refused: Refused
) -> Result[OffsetCommitResponse]:
    if not commits:  # nothing left: group, member and generation are not looked at
        return Result(OffsetCommitResponse(0, list(refused.values())))
    try:
        events = _check_group(groups, ctx, request)
    except KafkaError as error:
        return Result(_answer(refused, [_refuse(asked, given, error.code) for asked, _, given in commits]))
    records = _records(groups, ctx, request, commits)
    if len(records) == 1 and len(request.topics) == 1 and len(request.topics[0].partitions) == 1:
        asked, _, (commit,) = commits[0]
        response, bodies = _stored(asked.name, asked.topic_id, commit.partition_index)
        return Result(response, records, events, bodies=bodies)
    answered = [_stored_or_too_large(groups, asked, given) for asked, _, given in commits]
    return Result(_answer(refused, answered), records, events)


def error_response(request: OffsetCommitRequest, code: int) -> OffsetCommitResponse:
    """There is no error of the whole: it stands on every partition."""
    return OffsetCommitResponse(0, [_refuse(topic, topic.partitions, code) for topic in request.topics])


def unwritten_response(ctx: Context, request: OffsetCommitRequest, code: int) -> OffsetCommitResponse:
    """What was refused before the group was asked keeps its answer."""
    refused: Refused = {}
    commits = _sort_out(ctx, request.topics, refused)
    return _answer(refused, [_refuse(asked, given, code) for asked, _, given in commits])


def _sort_out(ctx: Context, requested: list[OffsetCommitRequestTopic], refused: Refused) -> list[Asked]:
    """Return what names a partition that exists and may be read. The answers to the rest, one for each topic,
    are added to refused.
    """
    by_id = ctx.version >= TOPIC_IDS_FROM
    topics = ctx.cluster.topics_by_id if by_id else ctx.cluster.topics
    commits: list[Asked] = []
    for asked in requested:
        topic = topics.get(asked.topic_id if by_id else asked.name)
        if topic is None:
            _put(refused, asked, asked.partitions, _why_unknown(ctx, asked))
        elif not ctx.allowed(READ, TOPIC, topic.name):
            _put(refused, asked, asked.partitions, ErrorCode.TOPIC_AUTHORIZATION_FAILED)
        else:
            given = asked.partitions
            count = len(topic.partitions)
            for partition in given:
                if not 0 <= partition.partition_index < count:
                    given, missing = split(given, count)
                    _put(refused, asked, missing, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
                    break
            if given:
                commits.append((asked, topic, given))
    return commits


def _check_group(groups: Groups, ctx: Context, request: OffsetCommitRequest) -> tuple[Event, ...]:
    """Raises what the group has against this commit; otherwise the member behind it has been seen."""
    group = groups.serving(request.group_id)
    epoch = request.generation_id_or_member_epoch
    if group is not None:
        return group.check_commit(request.member_id, request.group_instance_id, epoch, ctx.steady_ms)
    if epoch < 0:  # the record makes a simple group
        return ()
    raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND if ctx.version >= 9 else ErrorCode.ILLEGAL_GENERATION)


def _why_unknown(ctx: Context, asked: OffsetCommitRequestTopic) -> ErrorCode:
    """Who may not read a name is not told whether it exists; an id that nobody has tells nothing."""
    if ctx.version >= TOPIC_IDS_FROM:
        return ErrorCode.UNKNOWN_TOPIC_ID
    if not ctx.allowed(READ, TOPIC, asked.name):
        return ErrorCode.TOPIC_AUTHORIZATION_FAILED
    return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def _records(
    groups: Groups, ctx: Context, request: OffsetCommitRequest, commits: list[Asked]
) -> tuple[Record, ...]:
    group_id = request.group_id
    metadata_max = groups.limits.offset_metadata_max_bytes
    now_ms = ctx.wall_ms
    retention_ms = request.retention_time_ms
    expires_ms = NOT_GIVEN if retention_ms == NOT_GIVEN else java_long(now_ms + retention_ms)
    records: list[Record] = []
    for _, topic, given in commits:
        for commit in given:
            metadata = commit.committed_metadata or ""
            if is_longer(metadata, metadata_max):
                continue
            committed_ms = commit.commit_timestamp
            value = OffsetCommitValue(
                commit.committed_offset,
                commit.committed_leader_epoch,
                metadata,
                now_ms if committed_ms == NOT_GIVEN else committed_ms,
                expires_ms,
                topic.topic_id,
            )
            records.append(Record(OffsetCommitKey(group_id, topic.name, commit.partition_index), value))
    return tuple(records)


def is_longer(text: str, units: int) -> bool:
    """Whether a text has more letters than that, as Java counts them: UTF-16 units."""
    return 2 * len(text) > units and len(text.encode("utf-16-le", "surrogatepass")) // 2 > units


@lru_cache(4096)
def _stored(name: str, topic_id: bytes, index: int) -> tuple[OffsetCommitResponse, dict[int, bytes]]:
    """The answer to nearly every commit, one partition and no error, with a place for its bytes."""
    partition = OffsetCommitResponsePartition(index, ErrorCode.NONE)
    return OffsetCommitResponse(0, [OffsetCommitResponseTopic(name, topic_id, [partition])]), {}


def _stored_or_too_large(
    groups: Groups, asked: OffsetCommitRequestTopic, given: list[OffsetCommitRequestPartition]
) -> OffsetCommitResponseTopic:
    metadata_max = groups.limits.offset_metadata_max_bytes
    answers = [
        OffsetCommitResponsePartition(
            commit.partition_index,
            ErrorCode.OFFSET_METADATA_TOO_LARGE
            if is_longer(commit.committed_metadata or "", metadata_max)
            else ErrorCode.NONE,
        )
        for commit in given
    ]
    return OffsetCommitResponseTopic(asked.name, asked.topic_id, answers)


def _refuse(
    asked: OffsetCommitRequestTopic, partitions: list[OffsetCommitRequestPartition], code: int
) -> OffsetCommitResponseTopic:
    answers = [OffsetCommitResponsePartition(partition.partition_index, code) for partition in partitions]
    return OffsetCommitResponseTopic(asked.name, asked.topic_id, answers)


def _put(
    refused: Refused,
    asked: OffsetCommitRequestTopic,
    partitions: list[OffsetCommitRequestPartition],
    error: ErrorCode,
) -> None:
    merge(refused, (asked.name, asked.topic_id), _refuse(asked, partitions, error))


def _answer(refused: Refused, others: list[OffsetCommitResponseTopic]) -> OffsetCommitResponse:
    if not refused:
        return OffsetCommitResponse(0, others)
    for topic in others:
        merge(refused, (topic.name, topic.topic_id), topic)
    return OffsetCommitResponse(0, list(refused.values()))
