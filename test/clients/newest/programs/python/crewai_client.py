from crewai import LLM
from played import key, model, play, question, turns, url


def claude(**more):
    return LLM(model=f"anthropic/{model}", base_url=url, api_key=key, max_tokens=4_000, **more)


def answer():
    return claude().call(question)


def stream():
    return claude(stream=True).call(question)


def conversation():
    messages = []
    for turn in turns:
        messages.append({"role": "user", "content": turn})
        messages.append({"role": "assistant", "content": claude().call(messages)})
    return messages[-1]["content"]


play(answer=answer, stream=stream, conversation=conversation)
