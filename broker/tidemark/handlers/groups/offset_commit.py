"""OffsetCommit: a group stores its offsets. Kafka checks topics first, then the group, then values.

v0-1  without a retention time (v0 once stored in ZooKeeper); v1 has commit timestamps. Kafka 4 serves neither
v2-4  retention_time_ms per request (KIP-211 removed it in v5)
v6    leader epoch per partition (KIP-320)
v7    group_instance_id (KIP-345)
v9    generation_id may be a member epoch (KIP-848)
v10   topics by id (KIP-848)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from tidemark.core.context import Context, Operation, ResourceType, everything_is_allowed
from tidemark.core.decision import After, Decision, Record, Steps, at_once
from tidemark.groups.forgetting import COMMIT_BYTES_MIN, batch_bytes_max
from tidemark.groups.offsets import is_longer
from tidemark.groups.state import Groups
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

# Constants, because on the hot path a look-up in an enum or a class costs as much as a call.
READ: Final = Operation.READ
GROUP: Final = ResourceType.GROUP
TOPIC: Final = ResourceType.TOPIC

Refuse = Callable[[dict[Any, Any], Any, list[Any], ErrorCode], None]
Requested = tuple[OffsetCommitRequestTopic, Topic, list[OffsetCommitRequestPartition]]
Refused = dict[tuple[str, bytes], OffsetCommitResponseTopic]
Made = tuple[list[Record], OffsetCommitResponseTopic]


@command(OffsetCommitRequest, state=Groups, versions=range(0, 11))
def offset_commit(
    groups: Groups, ctx: Context, request: OffsetCommitRequest
) -> Decision[OffsetCommitResponse]:
    allowed = ctx.allowed
    if allowed is not everything_is_allowed and not allowed(READ, GROUP, request.group_id):
        return Decision(at_once(_all_refused(request, ErrorCode.GROUP_AUTHORIZATION_FAILED)))
    refused: Refused = {}
    commits = existing(ctx, request.topics, refused, _put, by_id=ctx.version >= TOPIC_IDS_FROM)
    if not commits:  # then group, member and generation are not checked
        return Decision(OffsetCommitResponse(0, list(refused.values())))
    try:
        after = _check_group(groups, ctx, request, commits)
    except KafkaError as error:
        return Decision(
            _response(refused, [_refuse(requested, given, error.code) for requested, _, given in commits])
        )
    records = _records(groups, ctx, request, commits)
    if len(records) == 1 and len(request.topics) == 1 and len(request.topics[0].partitions) == 1:
        requested, _, (commit,) = commits[0]
        response, bodies = _stored(requested.name, requested.topic_id, commit.partition_index)
        return Decision(response, records, bodies=bodies, after=after)
    accepted = [_stored_or_too_large(groups, requested, given) for requested, _, given in commits]
    return Decision(_response(refused, accepted), records, after=after)


def offset_commit_in_steps(
    groups: Groups, ctx: Context, request: OffsetCommitRequest
) -> Steps[Decision[OffsetCommitResponse]]:
    """Decide a commit for thousands of partitions."""
    if not ctx.allowed(READ, GROUP, request.group_id):
        return Decision((yield from _all_refused(request, ErrorCode.GROUP_AUTHORIZATION_FAILED)))
    refused: Refused = {}
    commits: list[Requested] = []
    by_id = ctx.version >= TOPIC_IDS_FROM
    for start in range(0, len(request.topics), STEP_TOPICS):
        commits += existing(ctx, request.topics[start : start + STEP_TOPICS], refused, _put, by_id=by_id)
        yield 0
    commits = _still_there(ctx, commits, refused)
    # Refused like any commit whose records do not fit in a batch. The records are not made.
    too_large = bool(commits) and _bytes_at_least(request.group_id, commits) > batch_bytes_max(ctx.cluster)
    made: dict[int, Made] = {}
    if not too_large:
        for commit in commits:
            made[id(commit[0])] = yield from _made(groups, ctx, request, commit)
        commits = _still_there(ctx, commits, refused)
    if not commits:
        return Decision(_response(refused, []))
    try:
        after = _check_group(groups, ctx, request, commits)
        if too_large:
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    except KafkaError as error:
        others: list[OffsetCommitResponseTopic] = []
        for requested, _, given in commits:
            others.append((yield from _refuse_in_steps(requested, given, error.code)))
        return Decision(_response(refused, others))
    records: list[Record] = []
    accepted: list[OffsetCommitResponseTopic] = []
    for requested, _, _ in commits:
        some, response = made[id(requested)]
        records += some
        accepted.append(response)
    return Decision(_response(refused, accepted), tuple(records), after=after)


def _still_there(ctx: Context, commits: list[Requested], refused: Refused) -> list[Requested]:
    """Return the commits without those to topics that were deleted since, which are added to refused."""
    found: list[Requested] = []
    for commit in commits:
        requested, topic, given = commit
        if ctx.cluster.topics_by_id.get(topic.topic_id) is topic:
            found.append(commit)
        else:
            _put(refused, requested, given, why_unknown(ctx, requested, by_id=ctx.version >= TOPIC_IDS_FROM))
    return found


def _made(groups: Groups, ctx: Context, request: OffsetCommitRequest, commit: Requested) -> Steps[Made]:
    """Make the records of a commit to one topic, and the response if they are accepted."""
    requested, topic, given = commit
    records: list[Record] = []
    partitions: list[OffsetCommitResponsePartition] = []
    for start in range(0, len(given), STEP_PARTITIONS):
        part = given[start : start + STEP_PARTITIONS]
        records += _records(groups, ctx, request, [(requested, topic, part)])
        partitions += _stored_or_too_large(groups, requested, part).partitions
        yield 0
    return records, OffsetCommitResponseTopic(requested.name, requested.topic_id, partitions)


def _bytes_at_least(group_id: str, commits: list[Requested]) -> int:
    each = COMMIT_BYTES_MIN + len(group_id)
    return sum((each + len(topic.name)) * len(given) for _, topic, given in commits)


def _all_refused(request: OffsetCommitRequest, code: int) -> Steps[OffsetCommitResponse]:
    topics: list[OffsetCommitResponseTopic] = []
    for topic in request.topics:
        refused = yield from _refuse_in_steps(topic, topic.partitions, code)
        topics.append(refused)
    return OffsetCommitResponse(0, topics)


def unwritten_response(ctx: Context, request: OffsetCommitRequest, code: int) -> OffsetCommitResponse:
    """Return the error for every partition that was not refused before the group was checked."""
    refused: Refused = {}
    commits = existing(ctx, request.topics, refused, _put, by_id=ctx.version >= TOPIC_IDS_FROM)
    return _response(refused, [_refuse(requested, given, code) for requested, _, given in commits])


def existing(
    ctx: Context, requested_topics: list[Any], refused: dict[Any, Any], refuse: Refuse, *, by_id: bool = False
) -> list[Any]:
    """Return the partitions of a commit that exist and may be read, as (requested topic, topic, partitions).

    Adds the responses for the others to refused. refuse makes such a response. Also for TxnOffsetCommit.
    """
    allowed = ctx.allowed
    is_checked = allowed is not everything_is_allowed
    topics = ctx.cluster.topics_by_id if by_id else ctx.cluster.topics
    commits: list[Any] = []
    for requested in requested_topics:
        topic = topics.get(requested.topic_id if by_id else requested.name)
        given = requested.partitions
        if topic is None:
            refuse(refused, requested, given, why_unknown(ctx, requested, by_id=by_id))
        elif is_checked and not allowed(READ, TOPIC, topic.name):
            refuse(refused, requested, given, ErrorCode.TOPIC_AUTHORIZATION_FAILED)
        else:
            count = len(topic.partitions)
            for partition in given:
                if not 0 <= partition.partition_index < count:
                    given, missing = split(given, count)
                    refuse(refused, requested, missing, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
                    break
            if given:
                commits.append((requested, topic, given))
    return commits


def split(partitions: list[Any], count: int) -> tuple[list[Any], list[Any]]:
    """Return the partitions that exist, and those that do not, of a topic with this many partitions."""
    present: list[Any] = []
    missing: list[Any] = []
    for partition in partitions:
        (present if 0 <= partition.partition_index < count else missing).append(partition)
    return present, missing


def merge(responses: dict[Any, Any], key: Any, response: Any) -> None:
    """Add the response for a topic. Kafka merges topics once one was refused; refused ones are first then."""
    first = responses.setdefault(key, response)
    if first is not response:
        first.partitions += response.partitions


def _check_group(
    groups: Groups, ctx: Context, request: OffsetCommitRequest, commits: list[Requested]
) -> After:
    """Check group and member. Return the calls that extend the member's session. Raises KafkaError."""
    group = groups.serving(request.group_id, ctx.caller.node_id)
    if group is not None:
        return group.check_commit(ctx, request, commits)
    if request.generation_id_or_member_epoch < 0:  # the record makes a simple group
        return ()
    raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND if ctx.version >= 9 else ErrorCode.ILLEGAL_GENERATION)


def why_unknown(ctx: Context, requested: Any, *, by_id: bool) -> ErrorCode:
    """Return the error for an unknown topic. It must not reveal topics that the client may not read."""
    if by_id:
        return ErrorCode.UNKNOWN_TOPIC_ID
    if not ctx.allowed(READ, TOPIC, requested.name):
        return ErrorCode.TOPIC_AUTHORIZATION_FAILED
    return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def _records(
    groups: Groups, ctx: Context, request: OffsetCommitRequest, commits: list[Requested]
) -> tuple[Record, ...]:
    group_id = request.group_id
    metadata_max = groups.settings.offset_metadata_max_bytes
    now_ms = ctx.wall_ms
    retention_ms = request.retention_time_ms
    expires_ms = NOT_GIVEN if retention_ms == NOT_GIVEN else java_long(now_ms + retention_ms)
    records: list[Record] = []
    for _, topic, given in commits:
        for commit in given:
            metadata = commit.committed_metadata or ""
            if metadata and is_longer(metadata, metadata_max):
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


@lru_cache(4096)
def _stored(name: str, topic_id: bytes, index: int) -> tuple[OffsetCommitResponse, dict[int, bytes]]:
    """Return the response of most commits, one partition without an error, and a dict for its bytes."""
    partition = OffsetCommitResponsePartition(index, ErrorCode.NONE)
    return OffsetCommitResponse(0, [OffsetCommitResponseTopic(name, topic_id, [partition])]), {}


def _stored_or_too_large(
    groups: Groups, requested: OffsetCommitRequestTopic, given: list[OffsetCommitRequestPartition]
) -> OffsetCommitResponseTopic:
    metadata_max = groups.settings.offset_metadata_max_bytes
    partition_responses = [
        OffsetCommitResponsePartition(
            commit.partition_index,
            ErrorCode.OFFSET_METADATA_TOO_LARGE
            if is_longer(commit.committed_metadata or "", metadata_max)
            else ErrorCode.NONE,
        )
        for commit in given
    ]
    return OffsetCommitResponseTopic(requested.name, requested.topic_id, partition_responses)


def _refuse(
    requested: OffsetCommitRequestTopic, partitions: list[OffsetCommitRequestPartition], code: int
) -> OffsetCommitResponseTopic:
    return at_once(_refuse_in_steps(requested, partitions, code))


def _refuse_in_steps(
    requested: OffsetCommitRequestTopic, partitions: list[OffsetCommitRequestPartition], code: int
) -> Steps[OffsetCommitResponseTopic]:
    refused: list[OffsetCommitResponsePartition] = []
    for start in range(0, len(partitions) or 1, STEP_PARTITIONS):  # no partitions are a step, too
        part = partitions[start : start + STEP_PARTITIONS]
        refused += [OffsetCommitResponsePartition(each.partition_index, code) for each in part]
        yield 0
    return OffsetCommitResponseTopic(requested.name, requested.topic_id, refused)


def _put(
    refused: Refused,
    requested: OffsetCommitRequestTopic,
    partitions: list[OffsetCommitRequestPartition],
    error: ErrorCode,
) -> None:
    merge(refused, (requested.name, requested.topic_id), _refuse(requested, partitions, error))


def _response(refused: Refused, others: list[OffsetCommitResponseTopic]) -> OffsetCommitResponse:
    if not refused:
        return OffsetCommitResponse(0, others)
    for topic in others:
        merge(refused, (topic.name, topic.topic_id), topic)
    return OffsetCommitResponse(0, list(refused.values()))
