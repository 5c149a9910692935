"""The documentation that the hub serves: documents, finding codes, measures, search.

May import the contract, the measures of the card and the renderer of READMEs.
"""
