"""Other courses of paid rollouts: what is done before the last reply is changed."""
