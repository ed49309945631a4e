"""One tool call: decided, captured, recorded, sent, settled. Pure but for its ports: no event loop, clock, database or
randomness is imported here, so a test can stand behind every `await`."""
