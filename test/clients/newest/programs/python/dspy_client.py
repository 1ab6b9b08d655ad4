import dspy
from played import key, model, play, question, url

dspy.configure(lm=dspy.LM(f"anthropic/{model}", api_base=url, api_key=key, cache=False))


def answer():
    return dspy.settings.lm(question)[0]


play(answer=answer)
