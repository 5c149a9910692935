"""What recorded conversations show of an environment: answers that messages and tools reveal, and
tool results that contradict it. May import gateway, probing and mutation."""
