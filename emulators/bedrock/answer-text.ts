// The text of answers: it names the model and quotes the question, then repeats fixed sentences up to the length of the settings.
import { countText, firstTokens } from "./request/tokens.ts";

/** The number of tokens of a question or of a tool result that are quoted. */
const quotedTokens = 50;

const sentences = [
  "This answer is made by rule, so the same question gives the same words each time.",
  "No model was asked and nothing was looked up.",
  "Tokens are counted at four characters each, and the counts are what a bill would show.",
  "Each piece of this text travels in an event of its own, in the order in which it would be generated.",
  "A real model would weigh the question here, name what it takes for granted and give its reasons.",
  "It would go on with an example, and say where the example stops being like the question.",
  "It would close with what remains open, and with what to try next.",
];

/** A few sentences that name the model and quote the question. */
export function shortAnswer(model: string, question: string): string {
  const opening = question ? `You asked: "${quote(question)}".` : "You asked nothing in words.";
  return `This is ${model}, played by the local model host. ${opening} ${sentences[0]}`;
}

/** The answer once a tool has given its result. */
export function resultAnswer(model: string, results: { tool: string; text: string }[]): string {
  const told = results.map(({ tool, text }) => `The tool ${tool} answered: "${quote(text)}".`).join(" ");
  return `This is ${model}, played by the local model host. ${told} ${sentences[0]}`;
}

export function thinkingText(question: string): string {
  return `The question is "${quote(question)}". It asks for a short answer, and I can give one by rule.`;
}

/** The text with exactly `tokens` tokens: cut, or continued. */
export function withLength(text: string, tokens: number): string {
  let long = text;
  for (let next = 1; countText(long) < tokens; next += 1) long += ` ${sentences[next % sentences.length]}`;
  return firstTokens(long, tokens);
}

function quote(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return countText(line) <= quotedTokens ? line : `${firstTokens(line, quotedTokens).trimEnd()} ...`;
}
