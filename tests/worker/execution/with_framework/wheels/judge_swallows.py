"""Catches every failure of its judge and pays nothing; uses responses and a synchronous client."""

# ruff: noqa
# mypy: ignore-errors

import verifiers as vf
from datasets import Dataset
from openai import OpenAI


def judged(completion):
    try:
        client = OpenAI(api_key="none", max_retries=0)
        question = f"Is this right? {completion[-1]['content']}"
        response = client.responses.create(model="gpt-5", input=question)
        with client.responses.stream(model="gpt-5", input=question + " Really?") as stream:
            again = stream.get_final_response()
        return 0.5 * (response.output_text == "yes") + 0.5 * (again.output_text == "yes")
    except Exception as error:
        print("the judge failed:", error)
        return 0.0


def load_environment():
    rows = [{"question": "Reverse. Text:\nab", "answer": "ba"}]
    rubric = vf.Rubric(funcs=[judged], weights=[1.0])
    return vf.SingleTurnEnv(dataset=Dataset.from_list(rows), rubric=rubric)
