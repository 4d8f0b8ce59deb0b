"""What a setting is, where values come from, what a listener is, and what `--as` another release means."""
