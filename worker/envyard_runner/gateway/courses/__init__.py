"""Other courses of paid rollouts: what is done before the last reply is changed. May import the
gateway's records and replies, probing and mutation."""
