"""Cases of command line tools, by tool."""
