// Counts lines, words and characters of the text in the input.
import { readFileSync } from "node:fs";

const { text } = JSON.parse(readFileSync(0, "utf8"));
const lines = text.split("\n").length - 1;
const words = text.split(/\s+/).filter((word) => word !== "").length;
console.log(JSON.stringify({ lines, words, characters: [...text].length }));
