"""The judge: answers the calls that an environment sends by itself, apart from the policy's.

`server` has the routes, `chat`, `responses` and `anthropic` the wire shapes, `live` the operator's
model with its budgets, `recorded` the verdicts of replays, `usage` what one run counted, `records`
the exchanges that transcripts get. May import the gateway's model, replies and shapes.
"""
