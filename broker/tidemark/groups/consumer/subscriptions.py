"""The topics that a group reads, and what follows from a change of one member."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from tidemark.groups.consumer.metadata_hash import subscription_hash
from tidemark.groups.consumer.model import NOT_RESOLVED, ConsumerGroupModel, ConsumerMember, count


@dataclass(slots=True, frozen=True)
class GroupTopics:
    """by_name, by_regex: as in the group. regex_members, members: how many members there are."""

    by_name: dict[str, int]
    by_regex: dict[str, int]
    regex_members: dict[str, int]
    members: int

    def hash(self, cluster: Any) -> int:
        """Return the hash of the topics that exist; 0: there are none."""
        names: Collection[str] = self.by_name
        if self.by_regex:
            names = self.by_name.keys() | self.by_regex.keys()
        return subscription_hash(cluster, names)

    @property
    def are_homogeneous(self) -> bool:
        """True if all members read the same topics. Kafka: ConsumerGroup.subscriptionType."""
        if not self.regex_members:
            return all(each == self.members for each in self.by_name.values()) and all(
                topic in self.by_name for topic in self.by_regex
            )
        return (
            next(iter(self.regex_members.values())) == self.members
            and not self.by_name
            and all(each == 1 for each in self.by_regex.values())
        )


def topics_now(group: ConsumerGroupModel) -> GroupTopics:
    return GroupTopics(group.by_name, group.by_regex, group.regex_members, len(group.members))


def topics_after(group: ConsumerGroupModel, before: ConsumerMember, after: ConsumerMember) -> GroupTopics:
    """Return the topics once a member changes. before: a new ConsumerMember for one that joins."""
    by_name, by_regex, regex_members = group.by_name, group.by_regex, group.regex_members
    if before.topic_names != after.topic_names:
        by_name = dict(by_name)
        for topic in before.topic_names:
            count(by_name, topic, -1)
        for topic in after.topic_names:
            count(by_name, topic, 1)
    if (before.regex or "") != (after.regex or ""):
        regex_members = dict(regex_members)
        if before.regex:
            count(regex_members, before.regex, -1)
            if before.regex not in regex_members:
                by_regex = dict(by_regex)
                for topic in group.regexes.get(before.regex, NOT_RESOLVED).topics:
                    count(by_regex, topic, -1)
        if after.regex:
            count(regex_members, after.regex, 1)
    return GroupTopics(by_name, by_regex, regex_members, _members_after(group, after))


def _members_after(group: ConsumerGroupModel, after: ConsumerMember) -> int:
    is_known = after.member_id in group.members or after.instance_id in group.static_members
    return len(group.members) if is_known else len(group.members) + 1


def topics_without(
    group: ConsumerGroupModel, leaving: Collection[ConsumerMember], unused: Iterable[str]
) -> GroupTopics:
    """Return the topics once members have left. unused: regular expressions that no other member uses."""
    by_name, by_regex = dict(group.by_name), dict(group.by_regex)
    regex_members = dict(group.regex_members)
    for member in leaving:
        for topic in member.topic_names:
            count(by_name, topic, -1)
        if member.regex:
            count(regex_members, member.regex, -1)
    for regex in unused:
        for topic in group.regexes.get(regex, NOT_RESOLVED).topics:
            count(by_regex, topic, -1)
    return GroupTopics(by_name, by_regex, regex_members, len(group.members) - len(leaving))
