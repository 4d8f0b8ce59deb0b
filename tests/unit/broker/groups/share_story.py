"""Members of a share group, for stories without disk, sockets and share coordinator."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

from tests.unit.broker.group_story import GroupStory
from tidemark.core.decision import Effect, Record
from tidemark.groups.share.effects import DeleteShareState, InitializeShareState, NamedPartitions
from tidemark.groups.share.group import ShareGroup
from tidemark.handlers.groups.delete_groups import delete_groups
from tidemark.handlers.groups.share_group_heartbeat import share_group_heartbeat
from tidemark.metadata.topics import NewTopic, create_topic_records
from tidemark.settings.release import RELEASES
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest
from tidemark_protocol.messages.share_group_heartbeat import (
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
)
from tidemark_protocol.records.feature_level_record import FeatureLevelRecord

# The member ids of a recorded run of Kafka 4.3.1, and its topics.
FIRST, SECOND = "AAAAAAAAAAAAAAAAAAAAAQ", "AAAAAAAAAAAAAAAAAAAAAg"
A = bytes.fromhex("af39ad5911154315a9bad2923dd4a01a")
B = bytes.fromhex("2e34fa2bde0b40b6becba71da373ee25")


class Deleted:
    """The end of a deletion of state: it has ended already."""

    def __init__(self, topics: NamedPartitions, code: ErrorCode) -> None:
        self._results = {topic_id: dict.fromkeys(each, code) for topic_id, (_, each) in topics.items()}

    def __await__(self) -> Generator[Any, None, dict[bytes, dict[int, ErrorCode]]]:
        yield from ()
        return self._results


class ShareStory(GroupStory):
    """Topics a and b have 3 and 2 partitions, and Kafka's ids. settings: those named group.share.*

    initializations  the state that the share coordinator must create
    deletions        the state that it has deleted
    delete_error     its response to a deletion
    """

    def __init__(self, topics: dict[str, int] | None = None, **settings: Any) -> None:
        self.initializations: list[InitializeShareState] = []
        self.deletions: list[DeleteShareState] = []
        self.delete_error = ErrorCode.NONE
        super().__init__(
            {"a": 3, "b": 2} if topics is None else topics,
            **{f"group_share_{name}": value for name, value in settings.items()},
        )
        self.cluster.settings.release = RELEASES["4.3"]
        self.cluster.replay(Record(None, FeatureLevelRecord("share.version", 1)))

    def create_topic(self, name: str, partitions: int, created_ms: int) -> None:
        topic_id = {"a": A, "b": B}.get(name)
        if topic_id is None:
            super().create_topic(name, partitions, created_ms)
            return
        new = NewTopic(name, topic_id, [[1]] * partitions)
        for record in create_topic_records(self.cluster, new, created_ms):
            self.cluster.replay(record)

    @property
    def group(self) -> ShareGroup:
        group = self.groups.groups["s"]
        assert isinstance(group, ShareGroup)
        return group

    def carry_out(self, effect: Effect) -> None:
        if isinstance(effect, InitializeShareState):
            self.initializations.append(effect)
        elif isinstance(effect, DeleteShareState):
            effect.results = Deleted(effect.topics, self.delete_error)
            self.deletions.append(effect)
        else:
            super().carry_out(effect)

    def beat(
        self,
        member_id: str,
        epoch: int,
        topics: Iterable[str] | None = None,
        *,
        group: str = "s",
        rack_id: str | None = None,
        **more: Any,
    ) -> ShareGroupHeartbeatResponse:
        """Send a heartbeat. more: fields of the context."""
        names = None if topics is None else [*topics]
        request = ShareGroupHeartbeatRequest(group, member_id, epoch, rack_id, names)
        response: ShareGroupHeartbeatResponse = self.ask(share_group_heartbeat, request, 1, **more)
        return response

    def group_of(self, effect: InitializeShareState) -> ShareGroup:
        group = self.groups.groups[effect.group_id]
        assert isinstance(group, ShareGroup)
        return group

    def initialize(self) -> None:
        """Let the share coordinator create all state that it was asked for."""
        while self.initializations:
            effect = self.initializations.pop(0)
            created = {topic_id: partitions for topic_id, (_, partitions) in effect.topics.items()}
            self.accept(self.group_of(effect).state_initialized(created))
            self.settle()

    def refuse(self) -> None:
        """Let the share coordinator fail to create all state that it was asked for."""
        while self.initializations:
            effect = self.initializations.pop(0)
            refused = {topic_id: partitions for topic_id, (_, partitions) in effect.topics.items()}
            self.accept(self.group_of(effect).state_not_initialized(refused))
            self.settle()

    def delete(self, *group_ids: str) -> list[tuple[str, int]]:
        response = self.ask(delete_groups, DeleteGroupsRequest([*group_ids]), 2)
        return [(each.group_id, each.error_code) for each in response.results]

    def shown(self, response: ShareGroupHeartbeatResponse) -> tuple[int, dict[str, list[int]] | None]:
        """Return epoch and assignment of a response without an error, with topics by name."""
        assert response.error_code == 0, (response.error_code, response.error_message)
        if response.assignment is None:
            return response.member_epoch, None
        return response.member_epoch, {
            self.cluster.topics_by_id[each.topic_id].name: each.partitions
            for each in response.assignment.topic_partitions
        }

    def written(self) -> list[tuple[Any, Any]]:
        """Return keys and values of the records since the last call."""
        records, self.log = self.log, []
        self.appended_ms = []
        return [(record.key, record.value) for record in records]
