"""The nodes of the cluster, as a client reaches them.

Handlers ask here which node leads a partition, coordinates a group or is the controller. So far one node is
all of these, under the address at which the client reached it. A view of several nodes replaces these
functions.
"""

from __future__ import annotations

from typing import NamedTuple

from tidemark.core.context import Context
from tidemark.metadata.model import Partition
from tidemark.metadata.state import Cluster


class Node(NamedTuple):
    """A broker and the address at which this client can reach it."""

    node_id: int
    host: str
    port: int
    rack: str | None


def all_nodes(cluster: Cluster, ctx: Context) -> list[Node]:
    return [_this_node(cluster, ctx)]


def controller_id(cluster: Cluster) -> int:
    return cluster.identity.node_id


def coordinator(cluster: Cluster, ctx: Context) -> Node:
    """Return the node that coordinates all groups and transactional ids."""
    return _this_node(cluster, ctx)


def serves(cluster: Cluster, ctx: Context, partition: Partition) -> Node:
    """Return the node to which a client should send its requests for a partition."""
    return _this_node(cluster, ctx)


def _this_node(cluster: Cluster, ctx: Context) -> Node:
    identity = cluster.identity
    return Node(identity.node_id, ctx.caller.host, ctx.caller.port, identity.rack)
