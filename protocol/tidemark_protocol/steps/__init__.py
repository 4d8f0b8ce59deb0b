"""Generated codecs that work in steps, for large requests and responses. See `wire.StepDecoder`."""
