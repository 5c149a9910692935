"""What an environment needs from outside its sandbox, as its wheel declares it or its code shows.

`kinds` has the types and names, `declarations` reads `[tool.envyard]`, `predict` reads the code.
Imports the rest of the contract.
"""
