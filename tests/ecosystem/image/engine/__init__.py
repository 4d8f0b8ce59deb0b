"""A stand-in for the container engine: as much of Docker's HTTP API as testcontainers' modules use.

All images are one that buildah has built, by any name. Each container has

- a root file system of its own: a working container of buildah, mounted
- namespaces of its own for network, processes, mounts, host name and IPC. So its ports are free, its
  processes end with its first one, and that one gets signals as in Docker
- the image's user, or the one in the request

The host reaches a published port through a proxy, of which a thread enters the container's network namespace
to connect: the container has no other network. Containers do not reach each other.
"""
