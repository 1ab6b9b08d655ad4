import { expect, test } from "@jest/globals";
import { csvOf } from "../../../handlers/middleware/csv.ts";

const columns = ["name", "amount"];

test("a CSV has the declared columns, whatever the rows have, and a line for each row", () => {
  const { body, headers } = csvOf(columns, {
    data: [
      { amount: 1.5, other: "x" },
      { name: "ü, ö", amount: null },
    ],
  });
  expect(body).toBe('name,amount\r\n,1.5\r\n"ü, ö",\r\n');
  expect(headers).toEqual({ "content-type": "text/csv; charset=utf-8", vary: "accept" });
  expect(csvOf(columns, { data: [] }).body).toBe("name,amount\r\n");
});

test("a number in a CSV has no exponent, and only its own decimals", () => {
  const amounts = [0.000000001, 1e-7, 0.1, 3, 123456.789, 0];
  const lines = csvOf(["amount"], { data: amounts.map((amount) => ({ amount })) }).body.split("\r\n");
  expect(lines.slice(1, -1)).toEqual(["0.000000001", "0.0000001", "0.1", "3", "123456.789", "0"]);
});

test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\r=1", "＝1"])(
  "the value %j does not begin a cell of a CSV",
  (name) => {
    const [, line = ""] = csvOf(["name"], { data: [{ name }] }).body.split("\r\n", 2);
    expect(line).toMatch(/^"?'/);
  },
);

test.each(["a\r=1", "a\n=1", "a;=1", 'a",=1'])("the value %j does not begin another cell of a CSV", (name) => {
  expect(csvOf(["name"], { data: [{ name }] }).body).toBe(`name\r\n"${name.replaceAll('"', '""')}"\r\n`);
});

test("a state in a CSV is JSON in its cell, and a boolean is a word", () => {
  const data = [{ name: { "=1": ['"', { a: null }] }, amount: true }, { amount: false }];
  expect(csvOf(columns, { data }).body).toBe('name,amount\r\n"{""=1"":[""\\"""",{""a"":null}]}",true\r\n,false\r\n');
});

test("the next page of a CSV is named in a header", () => {
  expect(csvOf(columns, { data: [], next_cursor: "abc" }).headers).toMatchObject({ "x-next-cursor": "abc" });
});
