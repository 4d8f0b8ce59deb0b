"""The decision about a StreamsGroupHeartbeat: join, heartbeat or leave.

Kafka: GroupMetadataManager.streamsGroupHeartbeat and streamsGroupLeave. The checks are in its order, the
messages are its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from tidemark.core.context import Context
from tidemark.core.decision import (
    ConsumerGroupRebalances,
    Decision,
    Effect,
    Record,
    Steps,
    at_once,
)
from tidemark.groups.classic.group import ClassicGroup
from tidemark.groups.consumer.member import JOIN_EPOCH, NEVER, STATIC_LEAVE_EPOCH
from tidemark.groups.consumer.target import AT_ONCE_MAX
from tidemark.groups.state import Groups
from tidemark.groups.streams.assignor import assignment_configs
from tidemark.groups.streams.group import (
    NO_TASKS,
    NOT_VALIDATED,
    STREAMS,
    StreamsGroup,
    not_a_streams_group,
)
from tidemark.groups.streams.internal_topics import (
    ConfiguredSubtopology,
    ConfiguredTopology,
    Status,
    configure,
    endpoint_partitions,
)
from tidemark.groups.streams.member import (
    UNREVOKED_TASKS,
    EpochTasks,
    StreamsMember,
    TaskOffsets,
    Tasks,
    TaskSets,
)
from tidemark.groups.streams.reconciliation import reconciled
from tidemark.groups.streams.records import (
    current_record,
    epoch_record,
    member_record,
    removal_records,
    target_record,
)
from tidemark.groups.streams.topology import is_same_topology, metadata_hash
from tidemark.settings.release import Change
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages import streams_group_heartbeat as message
from tidemark_protocol.messages.create_topics import CreatableTopic
from tidemark_protocol.messages.streams_group_heartbeat import (
    StreamsGroupHeartbeatRequest,
    StreamsGroupHeartbeatResponse,
    StreamsGroupHeartbeatResponseTaskIds,
)
from tidemark_protocol.records.streams_group_topology import (
    StreamsGroupTopologyKey,
    StreamsGroupTopologyValue,
)

ABANDON: Final = "The member must abandon all its partitions and rejoin."
CREATE_TOPICS: Final = 7  # the version of the request that creates internal topics
TAGS_FROM: Final = 1  # the version of heartbeats in which members learn which client tags they lack
# The broker keeps at most this of a member's task offsets, and of its end offsets: enough for 10,000 tasks.
TASK_OFFSETS_BYTES_MAX: Final = 1 << 20
ALL_TASK_OFFSETS_BYTES_MAX: Final = 64 << 20  # of all members of all groups
TASK_BYTES: Final = 100  # of an offset or a dict in memory
STEP: Final = 1000  # offsets between two pauses

Request = StreamsGroupHeartbeatRequest
Response = StreamsGroupHeartbeatResponse
SentTasks = Iterable[message.StreamsGroupHeartbeatRequestTaskIds] | None


@dataclass(slots=True)
class CreateInternalTopics(Effect):
    """Create the topics of a streams group. A failure is told to its members until `until_ms` (wall)."""

    group_id: str
    topics: Mapping[str, CreatableTopic]
    ctx: Context
    until_ms: int


def leave(groups: Groups, ctx: Context, request: Request) -> Decision[Response]:
    """Decide about a member that leaves. Raises KafkaError."""
    group_id, member_id = request.group_id, request.member_id
    group = groups.serving(group_id, ctx.caller.node_id)
    if group is None:
        raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} not found.")
    if type(group) is not StreamsGroup:
        raise not_a_streams_group(group_id)
    try:
        member = group.identified(member_id, request.instance_id)
    except KafkaError as error:
        refused = Response(error_code=error.code, error_message=error.message)
        if request.shutdown_application:  # Kafka looks at the member afterwards
            return Decision(refused, after=(partial(_shut_down, group, member_id),))
        return Decision(refused)
    is_temporary = request.member_epoch == STATIC_LEAVE_EPOCH
    left = group.static_member_left(member) if is_temporary else group.member_left(member, "member left")
    if request.shutdown_application:
        left.after = (partial(_shut_down, group, member_id, is_left=not is_temporary), *left.after)
    left.response = Response(member_id=member_id, member_epoch=request.member_epoch)
    return left


def heartbeat(
    groups: Groups, ctx: Context, request: Request, topology: StreamsGroupTopologyValue | None
) -> Steps[Decision[Response]]:
    """Decide about a member that joins or is alive. Raises KafkaError.

    topology: the record of the topology in the request

    The topics of the topology are compared with those of the cluster first, in steps. If the group or the
    topics change meanwhile, they are compared again.
    """
    prepared: Prepared | None = None
    reported = yield from _reported(request)
    while True:
        undecided = _begun(groups, ctx, request, reported)
        decided = yield from undecided.decide(topology, prepared)
        if decided is not None:
            return decided
        prepared = yield from _prepared(undecided.group, ctx.cluster, topology)


def _begun(groups: Groups, ctx: Context, request: Request, reported: Reported | None) -> Heartbeat:
    group_id = request.group_id
    known = groups.serving(group_id, ctx.caller.node_id)
    if type(known) is StreamsGroup:
        return Heartbeat(ctx, known, request, reported)
    if request.member_epoch != JOIN_EPOCH:
        if known is None:
            raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Streams group {group_id} not found.")
        raise not_a_streams_group(group_id)
    if known is not None and not (isinstance(known, ClassicGroup) and known.is_empty):
        raise not_a_streams_group(group_id)
    created = StreamsGroup(group_id, groups.partition_for(group_id), None, store=groups)
    begun = Heartbeat(ctx, created, request, reported)
    if known is not None:
        begun.records += known.tombstones()
    return begun


@dataclass(slots=True, frozen=True)
class Prepared:
    """A topology with the topics of the cluster.

    before          the topology of the group for which this holds
    is_same         whether the topology of the request equals it
    topics_version  of the cluster for which this holds
    """

    before: StreamsGroupTopologyValue | None
    is_same: bool
    topics_version: int
    metadata_hash: int
    configured: ConfiguredTopology


def _prepared(group: StreamsGroup, cluster: Any, sent: StreamsGroupTopologyValue | None) -> Steps[Prepared]:
    before = group.topology
    is_same = sent is None or before is None or (yield from is_same_topology(before, sent))
    topology = sent if before is None else before
    if topology is None:  # a joining member sends one, and a group with members has one
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    version = cluster.topics_version
    topics_hash = yield from metadata_hash(topology, cluster)
    configured = yield from configure(topology, cluster, topics_hash)
    return Prepared(before, is_same, version, topics_hash, configured)


class Heartbeat:
    """One heartbeat while it is decided. It collects what the decision consists of."""

    def __init__(
        self, ctx: Context, group: StreamsGroup, request: Request, reported: Reported | None
    ) -> None:
        self.ctx = ctx
        self.group = group
        self.request = request
        self.reported = reported
        self.settings = group.settings
        self.release = group.store.settings.release
        self.target_epoch = group.assignment_epoch
        self.replaced: str | None = None  # the id that a static member had before it left
        self.is_new = group.store.groups.get(group.group_id) is not group
        self.status: list[message.Status] = []
        self.records: list[Record] = []
        self.effects: list[Effect] = []
        self.after: list[Callable[[], None]] = []
        self.configured: ConfiguredTopology | None = None
        self.checked: int | None = None  # the version of the cluster's topics for which `configured` holds
        self.writes = False

    def decide(
        self, sent: StreamsGroupTopologyValue | None, prepared: Prepared | None
    ) -> Steps[Decision[Response] | None]:
        """Return the decision. None: the topology must be compared with the topics of the cluster before.

        Large groups apart, it does not pause: nothing changes between the checks and the decision.
        """
        group, cluster, request = self.group, self.ctx.cluster, self.request
        before = self._member()
        member = self._updated(before)
        is_checked = group.configured is not None and group.metadata_seen == cluster.topics_version
        if prepared is not None and (
            prepared.before is not group.topology or prepared.topics_version != cluster.topics_version
        ):
            prepared = None
        if prepared is None and (sent is not None or not is_checked):
            return None
        if member is not before:
            self.records.append(member_record(group.group_id, member))
        topology, configured, topics_hash = group.topology, group.configured, group.metadata_hash
        if topology is None:
            topology = sent
            self.records.append(Record(StreamsGroupTopologyKey(group.group_id), sent))
        elif sent is not None and topology.epoch <= sent.epoch:
            assert prepared is not None
            if not prepared.is_same:
                raise KafkaError(ErrorCode.INVALID_REQUEST, "Topology updates are not supported yet.")
        assert topology is not None
        if group.topology is not None and member.topology_epoch < topology.epoch:
            text = (
                f"The member's topology epoch {member.topology_epoch} is behind the group's topology "
                f"epoch {topology.epoch}."
            )
            self._tell(Status.STALE_TOPOLOGY, text)
        if not is_checked or configured is None:
            assert prepared is not None
            configured, topics_hash = prepared.configured, prepared.metadata_hash
        self.configured, self.checked = configured, cluster.topics_version
        validated = NOT_VALIDATED
        if configured.subtopologies is not None and configured.is_ready:
            validated = topology.epoch
            for tasks in (request.active_tasks, request.standby_tasks, request.warmup_tasks):
                _check_tasks(configured.subtopologies, tasks)
        if self.reported is not None:
            if self.reported.error is not None:
                raise self.reported.error
            member = replace(member)
            self.reported.keep(member, group.store)  # the assignor needs them before replay
        configs = assignment_configs(self.settings)
        reason = self._reason(before, member, topics_hash, validated, configs)
        epoch = group.group_epoch
        if reason is not None:
            epoch += 1
            self.records.append(epoch_record(group.group_id, epoch, topics_hash, validated, configs))
            self.effects.append(ConsumerGroupRebalances(group.group_id, epoch, reason, group_type=STREAMS))
        delay_ms = self.settings.initial_rebalance_delay_ms
        if group.is_empty and delay_ms and group.delay_ms is None:
            self.after.append(partial(self._delay, self.ctx.steady_ms + delay_ms))
            return (yield from self._delayed(before, member))
        return (yield from self._assigned(before, member, epoch, configured, configs))

    def _member(self) -> StreamsMember:
        """Return the member, a new one if it joins. Raises KafkaError."""
        group, request, member_id = self.group, self.request, self.request.member_id
        epoch = request.member_epoch
        if epoch == JOIN_EPOCH:
            self._check_room()
            known = group.static_member(request.instance_id)
            if known is None:
                return group.members.get(member_id) or StreamsMember(member_id)
            return self._returned(known)
        member = group.identified(member_id, request.instance_id)
        if epoch > member.epoch:
            raise KafkaError(
                ErrorCode.FENCED_MEMBER_EPOCH,
                f"The streams group member has a greater member epoch ({epoch}) than the one known by the "
                f"group coordinator ({member.epoch}). {ABANDON}",
            )
        if epoch < member.epoch and not (epoch == member.previous_epoch and self._owns_assigned(member)):
            raise KafkaError(
                ErrorCode.FENCED_MEMBER_EPOCH,
                f"The streams group member has a smaller member epoch ({epoch}) than the one known by the "
                f"group coordinator ({member.epoch}). {ABANDON}",
            )
        return member

    def _check_room(self) -> None:
        """Raise GROUP_MAX_SIZE_REACHED if the group is full, and the member may not rejoin."""
        group, request = self.group, self.request
        size_max = group.store.settings.group_streams_max_size
        if len(group.members) < size_max:
            return
        is_known = request.member_id in group.members or request.instance_id in group.static_members
        if not (is_known and self.release.has(Change.STREAMS_MEMBER_RETURNS_TO_FULL_GROUP)):
            raise KafkaError(
                ErrorCode.GROUP_MAX_SIZE_REACHED,
                f"The streams group has reached its maximum capacity of {size_max} members.",
            )

    def _returned(self, known: StreamsMember) -> StreamsMember:
        """Return a static member that joins, with the tasks that it had when it left.

        Raises KafkaError if it did not leave. Kafka: GroupMetadataManager.replaceStreamsMember.
        """
        group, member_id = self.group, self.request.member_id
        if known.epoch != STATIC_LEAVE_EPOCH:
            raise KafkaError(
                ErrorCode.UNRELEASED_INSTANCE_ID,
                f"Static member {member_id} with instance id {known.instance_id} cannot join the group "
                f"because the instance id is owned by {known.member_id} member.",
            )
        self.replaced = known.member_id
        member = replace(known, member_id=member_id, epoch=JOIN_EPOCH, previous_epoch=JOIN_EPOCH)
        if member_id != known.member_id:
            member.task_offsets = member.task_end_offsets = {}
            member.task_offsets_bytes = member.task_end_offsets_bytes = 0
        self.records += (
            *removal_records(group.group_id, known.member_id),
            member_record(group.group_id, member),
            target_record(group.group_id, member_id, group.targets.get(known.member_id, NO_TASKS)),
            current_record(group.group_id, member),
        )
        has_target = known.member_id in group.targets
        self.after.append(partial(group.rename_target, known.member_id, member_id, has_target=has_target))
        return member

    def _owns_assigned(self, member: StreamsMember) -> bool:
        """Return whether the member owns only what is assigned to it. None: it does not say what it owns."""
        request, assigned = self.request, member.assigned
        return (
            _are_within(request.active_tasks, assigned.active)
            and _are_within(request.standby_tasks, assigned.standby)
            and _are_within(request.warmup_tasks, assigned.warmup)
        )

    def _updated(self, member: StreamsMember) -> StreamsMember:
        """Return the member with the fields of the request: the same object if all are equal."""
        request, ctx = self.request, self.ctx
        endpoint, timeout_ms = request.user_endpoint, request.rebalance_timeout_ms
        sent: dict[str, Any] = {
            "client_id": ctx.client_id,
            "client_host": ctx.caller.client_host,
            "instance_id": request.instance_id,
            "rack_id": request.rack_id,
            "rebalance_timeout_ms": None if timeout_ms == -1 else timeout_ms,
            "topology_epoch": None if request.topology is None else request.topology.epoch,
            "process_id": request.process_id,
            "client_tags": None if request.client_tags is None else _tags(request.client_tags),
            "endpoint": None if endpoint is None else (endpoint.host, endpoint.port),
        }
        changes = {
            name: value
            for name, value in sent.items()
            if value is not None and value != getattr(member, name)
        }
        is_joining = request.member_epoch == JOIN_EPOCH
        if is_joining and member.endpoint is not None and self.release.has(Change.ENDPOINTS_HAVE_AN_EPOCH):
            changes["endpoint"] = sent["endpoint"]  # a member that rejoins without an endpoint loses it
        return replace(member, **changes) if changes else member

    def _reason(
        self,
        before: StreamsMember,
        member: StreamsMember,
        topics_hash: int,
        validated: int,
        configs: Mapping[str, str],
    ) -> str | None:
        """Return why the group epoch rises, for the log. None: it does not."""
        group = self.group
        if self._concerns_assignor(before, member):
            return "member changed" if before.member_id in group.members else "member joined"
        if topics_hash != group.metadata_hash:
            return "topics changed"
        if validated != group.validated_topology_epoch:
            return "topology validated" if validated != NOT_VALIDATED else "topology not ready"
        return "assignor settings changed" if configs != group.configs else None

    def _concerns_assignor(self, before: StreamsMember, member: StreamsMember) -> bool:
        """Return whether a changed member raises the group epoch. Not all changes of static members do."""
        if self.request.instance_id is None:
            return member != before
        return (before.topology_epoch, before.rack_id, before.client_tags, before.process_id) != (
            member.topology_epoch, member.rack_id, member.client_tags, member.process_id
        )  # fmt: skip

    # The target assignment, and the member's own.

    def _assigned(
        self,
        before: StreamsMember,
        member: StreamsMember,
        epoch: int,
        configured: ConfiguredTopology,
        configs: Mapping[str, str],
    ) -> Steps[Decision[Response]]:
        """Compute a new target if that is due, and give the member its tasks."""
        group, ctx = self.group, self.ctx
        if group.delay_ms is not None:
            return (yield from self._delayed(before, member))
        target = group.target_of(member.member_id, self.replaced)
        if group.assignment_epoch >= epoch:
            return (yield from self._whole(before, self._reconciled(member, group.assignment_epoch, target)))
        if group.must_wait(ctx.now, self.settings.assignment_interval_ms):
            text = "Assignment delayed due to the configured assignment interval."
            self._tell(Status.ASSIGNMENT_DELAYED, text)
            return (yield from self._whole(before, self._reconciled(member, group.assignment_epoch, target)))
        if group.size(configured) > AT_ONCE_MAX:
            return (yield from self._assigned_in_steps(before, member, epoch, configured, configs))
        assignment, records = at_once(group.new_target(configured, configs, epoch, ctx.wall_ms, member))
        self.records += records
        moved = self._reconciled(member, epoch, assignment[member.member_id])
        return (yield from self._whole(before, moved))

    def _delayed(self, before: StreamsMember, member: StreamsMember) -> Steps[Decision[Response]]:
        """Decide without tasks: the first assignment waits for more members."""
        text = "Assignment delayed due to the configured initial rebalance delay."
        self._tell(Status.ASSIGNMENT_DELAYED, text)
        moved = self._reconciled(member, self.group.assignment_epoch, NO_TASKS)
        return (yield from self._whole(before, moved))

    def _assigned_in_steps(
        self,
        before: StreamsMember,
        member: StreamsMember,
        epoch: int,
        configured: ConfiguredTopology,
        configs: Mapping[str, str],
    ) -> Steps[Decision[Response]]:
        """Compute the target of a large group. Other heartbeats are decided meanwhile.

        The change of the member is applied first, so that they see it. The target follows for the members
        that the group has then. A static member that has returned meanwhile has the target of its old id.
        """
        had, member_id, group_id = replace(before), member.member_id, self.group.group_id
        self.after += (self._heard, self._computes)
        yield self._part()
        group = self.group = _current(self.group)
        instances = {each.member_id: each.instance_id for each in group.members.values()}
        assignment, records = yield from group.new_target(configured, configs, epoch, self.ctx.wall_ms)
        yield 0
        if group.store.get(group_id) is not group:
            raise not_a_streams_group(group_id)
        self.after.append(self._computed)
        current = group.members.get(member_id)
        if epoch <= group.assignment_epoch:  # it has stalled, and a later one has ended first
            assignment, epoch = {member_id: NO_TASKS, **group.targets}, group.assignment_epoch
            records = []
        for each in records:
            of = getattr(each.key, "member_id", None)
            if of is None or of in group.members:
                self.records.append(each)
            elif (returned := group.static_member(instances.get(of))) is not None:
                self.records.append(target_record(group_id, returned.member_id, assignment[of]))
        if current is None or member_id not in assignment:  # it has left, and perhaps joined again
            yield self._part()
            raise group.unknown_member(member_id)
        moved = self._reconciled(current, epoch, assignment[member_id])
        return (yield from self._whole(had, moved))

    def _reconciled(self, member: StreamsMember, epoch: int, target: TaskSets) -> StreamsMember:
        """Return the member, moved towards its target."""
        self.target_epoch = epoch
        if member.is_reconciled(epoch):
            return member
        request = self.request
        owned = None
        sent = request.active_tasks, request.standby_tasks, request.warmup_tasks
        if None not in sent:
            owned = TaskSets(*map(_sets, sent))
        changes_roles = self.release.has(Change.TASKS_CHANGE_THEIR_ROLE)
        owners = self.group.owners
        moved = reconciled(member, epoch, target, owned, owners, changes_roles=changes_roles)
        if moved != member:
            self.records.append(current_record(self.group.group_id, moved))
            until_ms = NEVER
            if moved.state == UNREVOKED_TASKS:
                until_ms = self.ctx.steady_ms + moved.rebalance_timeout_ms
            self.after.append(partial(self._await_revocation, until_ms))
        return moved

    # The decision.

    def _whole(self, before: StreamsMember, member: StreamsMember) -> Steps[Decision[Response]]:
        """Return the decision. In a large group, its records are applied before the endpoints are listed."""
        response, endpoint_epoch = self._response(before, member)
        self.after.append(self._heard)
        if not self.is_new:
            self.after.append(partial(self._keep, endpoint_epoch))
        if endpoint_epoch != self.request.endpoint_information_epoch:
            own = (member.member_id, self.replaced)
            others = [each for each in self.group.members.values() if each.member_id not in own]
            listed = self._endpoints([*others, member])
            if self.group.size(_known(self.configured)) <= AT_ONCE_MAX:
                try:
                    response.partitions_by_user_endpoint = at_once(listed)
                except KafkaError as error:
                    if self.is_new or not self.release.has(Change.ENDPOINTS_HAVE_AN_EPOCH):
                        raise
                    # In Kafka, the epoch rises though the request fails.
                    failed = Response(error_code=error.code, error_message=error.message)
                    return Decision(failed, after=(partial(self._raise_endpoint_epoch, endpoint_epoch),))
            else:
                yield self._part()
                response.partitions_by_user_endpoint = yield from listed
        whole = self._part()
        whole.response = response
        return whole

    def _endpoints(self, members: Iterable[StreamsMember]) -> Steps[list[message.EndpointToPartitions]]:
        found: list[message.EndpointToPartitions] = []
        for each in members:
            partitions = yield from endpoint_partitions(each, _known(self.configured), self.ctx.cluster)
            if partitions is not None:
                found.append(partitions)
        return found

    def _part(self) -> Decision[Response]:
        """Return everything that was collected since the last part, and keep none of it."""
        self.writes |= bool(self.records)
        part: Decision[Response] = Decision(
            records=tuple(self.records), effects=tuple(self.effects), after=tuple(self.after)
        )
        self.records, self.effects, self.after = [], [], []
        return part

    def _response(self, before: StreamsMember, member: StreamsMember) -> tuple[Response, int]:
        """Return the response without endpoints, and the epoch of the endpoints."""
        group, request, configured = self.group, self.request, _known(self.configured)
        response = Response(
            member_id=member.member_id,
            member_epoch=member.epoch,
            heartbeat_interval_ms=self.settings.heartbeat_interval_ms,
            status=self.status,
        )
        if self.release.has(Change.TASK_OFFSETS):
            response.task_offset_interval_ms = self.settings.task_offset_interval_ms
            response.acceptable_recovery_lag = self.settings.acceptable_recovery_lag
        is_joining, is_moved = request.member_epoch == JOIN_EPOCH, member.assigned != before.assigned
        endpoint_epoch = group.endpoint_epoch
        if self.release.has(Change.ENDPOINTS_HAVE_AN_EPOCH):
            is_listed = is_moved and member.endpoint is not None
            endpoint_epoch += is_listed or member.endpoint != before.endpoint
        else:
            endpoint_epoch += (is_joining or is_moved) and member.endpoint is not None
        if is_joining or is_moved:
            response.active_tasks = _listed(member.assigned.active)
            response.standby_tasks = _listed(member.assigned.standby)
            response.warmup_tasks = _listed(member.assigned.warmup)
        if group.group_id in group.store.groups:
            response.endpoint_information_epoch = endpoint_epoch
        if configured.error is not None:
            status, detail = configured.error
            self._tell(status, detail)
        if configured.missing:
            until_ms = self.ctx.wall_ms + 2 * self.settings.heartbeat_interval_ms
            ctx = self.ctx.copy()
            ctx.version = CREATE_TOPICS
            self.effects.append(CreateInternalTopics(group.group_id, configured.missing, ctx, until_ms))
        shutdown_by = group.shutdown_by
        if shutdown_by is None and request.shutdown_application:
            shutdown_by = member.member_id
        if shutdown_by is not None:
            text = (
                f"Streams group member {shutdown_by} encountered a fatal error and requested a shutdown for "
                "the entire application."
            )
            self._tell(Status.SHUTDOWN_APPLICATION, text)
        wanted = self.settings.rack_aware_assignment_tags if self.ctx.version >= TAGS_FROM else ()
        lacking = [tag for tag in wanted if tag not in member.client_tags]
        if lacking:
            text = (
                "Missing required client tags for rack-aware standby assignment: "
                f"[{', '.join(lacking)}]. Configure them via 'client.tag.<tagKey>' in your Streams config."
            )
            self._tell(Status.MISSING_CLIENT_TAGS, text)
        return response, endpoint_epoch

    def _tell(self, status: int, detail: str) -> None:
        self.status.append(message.Status(int(status), detail))

    # Soft state. These methods are called once the records are replayed, which may have made the group. In
    # Kafka, too, a new group forgets what its first heartbeat found out, except for timers.

    def _heard(self) -> None:
        """Extend the member's session, and keep the topology with the topics of the cluster."""
        group = _current(self.group)
        if self.checked is not None and not self.is_new:
            group.configured, group.metadata_seen = self.configured, self.checked
            if self.writes:
                group.described = self.configured
        self.checked = None  # a long computation may follow, and others may check the topics meanwhile
        member = group.members[self.request.member_id]
        if self.reported is not None and not self.is_new and self.replaced != member.member_id:
            group.store.task_offsets_bytes += self.reported.keep(member, group.store)
        group.heard(member, self.ctx.steady_ms + self.settings.session_timeout_ms)

    def _raise_endpoint_epoch(self, epoch: int) -> None:
        _current(self.group).endpoint_epoch = epoch

    def _keep(self, endpoint_epoch: int) -> None:
        group, request = _current(self.group), self.request
        group.endpoint_epoch = endpoint_epoch
        group.reached_epoch = self.target_epoch
        if request.shutdown_application and group.shutdown_by is None:
            group.shutdown_by = request.member_id

    def _await_revocation(self, until_ms: int) -> None:
        group = _current(self.group)
        group.await_revocation(group.members[self.request.member_id], until_ms)

    def _delay(self, at_ms: int) -> None:
        _current(self.group).delay_until(at_ms)

    def _computes(self) -> None:
        _current(self.group).assigning_ms = self.ctx.steady_ms

    def _computed(self) -> None:
        _current(self.group).end_assigning(self.ctx.steady_ms)


def _current(group: StreamsGroup) -> StreamsGroup:
    """Return the group as it is now: the first records of a group make another object."""
    current = group.store.of_type(StreamsGroup, group.group_id)
    if current is None:
        raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group.group_id} not found.")
    return current


def _known(configured: ConfiguredTopology | None) -> ConfiguredTopology:
    assert configured is not None
    return configured


def _shut_down(group: StreamsGroup, member_id: str, *, is_left: bool = False) -> None:
    """Ask all members to shut down. is_left: an empty group forgets it."""
    if group.shutdown_by is None and (group.members or not is_left):
        group.shutdown_by = member_id


def _check_tasks(subtopologies: Mapping[str, ConfiguredSubtopology], sent: SentTasks) -> None:
    """Raise KafkaError if the member owns a task that cannot exist."""
    for each in sent or ():
        known = subtopologies.get(each.subtopology_id)
        if known is None:
            text = f"Subtopology {each.subtopology_id} does not exist in the topology."
            raise KafkaError(ErrorCode.INVALID_REQUEST, text)
        for partition in each.partitions:
            if not 0 <= partition < known.tasks:
                raise KafkaError(
                    ErrorCode.INVALID_REQUEST,
                    f"Task {partition} for subtopology {each.subtopology_id} is invalid. Number of tasks for "
                    f"this subtopology: {known.tasks}",
                )


def _are_within(sent: SentTasks, assigned: Mapping[str, Collection[int]]) -> bool:
    if sent is None:
        return False
    return all(
        each.subtopology_id in assigned and {*each.partitions} <= {*assigned[each.subtopology_id]}
        for each in sent
    )


def _sets(sent: SentTasks) -> Tasks:
    """Return tasks by subtopology. Raises KafkaError if a subtopology is named twice, as Kafka does."""
    sets: dict[str, frozenset[int]] = {}
    for each in sent or ():
        if each.subtopology_id in sets:
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
        sets[each.subtopology_id] = frozenset(each.partitions)
    return sets


def _tags(sent: Iterable[message.KeyValue]) -> dict[str, str]:
    tags: dict[str, str] = {}
    for each in sent:
        if each.key in tags:
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
        tags[each.key] = each.value
    return tags


@dataclass(slots=True)
class Reported:
    """The task offsets of a heartbeat with their memory. None: the member keeps those that it has.

    error: raised if the request is decided. Kafka: MemberTaskOffsets
    """

    offsets: tuple[TaskOffsets, int] | None = None
    end_offsets: tuple[TaskOffsets, int] | None = None
    error: KafkaError | None = None

    def keep(self, member: StreamsMember, groups: Groups) -> int:
        """Let the member have these offsets, and return by how many bytes its memory grows.

        If the offsets of all members would need too much memory, the member keeps those that it has.
        """
        before = member.task_offsets_bytes + member.task_end_offsets_bytes
        offsets = self.offsets or (member.task_offsets, member.task_offsets_bytes)
        end_offsets = self.end_offsets or (member.task_end_offsets, member.task_end_offsets_bytes)
        growth = offsets[1] + end_offsets[1] - before
        if growth > 0 and groups.task_offsets_bytes + growth > ALL_TASK_OFFSETS_BYTES_MAX:
            return 0
        member.task_offsets, member.task_offsets_bytes = offsets
        member.task_end_offsets, member.task_end_offsets_bytes = end_offsets
        return growth


def _reported(request: Request) -> Steps[Reported | None]:
    if request.task_offsets is None and request.task_end_offsets is None:
        return None
    try:
        return Reported(
            (yield from _offsets(request.task_offsets)), (yield from _offsets(request.task_end_offsets))
        )
    except KafkaError as error:
        return Reported(error=error)


def _offsets(sent: Iterable[message.TaskOffset] | None) -> Steps[tuple[TaskOffsets, int] | None]:
    """Return offsets by task, at most TASK_OFFSETS_BYTES_MAX of them, and their memory in bytes.

    Raises KafkaError if a task repeats.
    """
    if sent is None:
        return None
    kept: dict[str, dict[int, int]] = {}
    named: set[tuple[str, int]] = set()
    size = kept_size = 0
    for number, each in enumerate(sent):
        if number % STEP == 0:
            yield 0
        task = each.subtopology_id, each.partition
        if task in named:
            raise KafkaError(
                ErrorCode.INVALID_REQUEST,
                f"Task offsets contain a duplicate entry for subtopology {task[0]} and partition {task[1]}.",
            )
        named.add(task)
        size += TASK_BYTES
        if task[0] not in kept:
            size += TASK_BYTES + len(task[0]) * (1 if task[0].isascii() else 4)
        if size <= TASK_OFFSETS_BYTES_MAX:
            kept.setdefault(task[0], {})[task[1]] = each.offset
            kept_size = size
    return kept, kept_size


def _listed(tasks: EpochTasks | Tasks) -> list[StreamsGroupHeartbeatResponseTaskIds]:
    return [StreamsGroupHeartbeatResponseTaskIds(each, sorted(found)) for each, found in tasks.items()]
