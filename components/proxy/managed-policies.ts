// Splits a role's rights into managed policies, as few as IAM's limit of size allows.
import { policyBody, type Statement } from "../link.ts";

/** The size of a managed policy, blanks aside (docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html). */
const policyCharacters = 6_144;
/** The most managed policies that AWS attaches to one role, unless the quota was raised (the same page). */
const policiesOfRole = 10;

/**
 * Policy documents as JSON, filled one after the other. A statement goes on in the next document with the rest of its longest
 * list, so its conditions must be such as any one of their values meets. The same statements give the same documents.
 */
export function managedPolicies(statements: readonly Statement<string>[]): string[] {
  return packed(statements).map(textOf);
}

/** Gives a problem if a role has more policy documents than AWS attaches to one, and otherwise an empty list. */
export function attachmentProblems(role: string, documents: readonly string[]): string[] {
  if (documents.length <= policiesOfRole) return [];
  const size = documents.reduce((sum, { length }) => sum + length, 0);
  return [
    `role ${role}: its rights fill ${documents.length} policies with ${size} characters, ` +
      `and AWS attaches ${policiesOfRole} of ${policyCharacters} each`,
  ];
}

function packed(statements: readonly Statement<string>[]): Statement<string>[][] {
  let last: Statement<string>[] = [];
  const documents = [last];
  for (const statement of statements) {
    let rest: Statement<string> | undefined = statement;
    while (rest) {
      const count = fitting(rest, last);
      if (count > 0) {
        last.push(part(rest, 0, count));
        rest = count < longest(rest).values.length ? part(rest, count) : undefined;
      } else if (last.length > 0) {
        last = [];
        documents.push(last);
      } else throw new Error(`A statement of ${textOf([part(rest, 0, 1)]).length} characters fits no policy.`);
    }
  }
  return documents.filter(({ length }) => length > 0);
}

/** How many values of the statement's longest list have room beside the document's other statements. */
function fitting(statement: Statement<string>, others: readonly Statement<string>[]): number {
  const fits = (count: number) => textOf([...others, part(statement, 0, count)]).length <= policyCharacters;
  let [known, open] = [0, longest(statement).values.length];
  while (known < open) {
    const middle = Math.ceil((known + open) / 2);
    if (fits(middle)) known = middle;
    else open = middle - 1;
  }
  return known;
}

type List = { values: string[]; replaced(values: string[]): Statement<string> };

function part(statement: Statement<string>, from: number, to?: number): Statement<string> {
  const { values, replaced } = longest(statement);
  return replaced(values.slice(from, to));
}

function longest(statement: Statement<string>): List {
  return listsOf(statement).reduce((one, other) => (lengthOf(other) > lengthOf(one) ? other : one));
}

/** The resources, and the values of each condition that has a list of them. */
function listsOf(statement: Statement<string>): [List, ...List[]] {
  const { resources, conditions = {} } = statement;
  const ofConditions = Object.entries(conditions).flatMap(([operator, keys]) =>
    Object.entries(keys).flatMap(([key, values]) => {
      const replaced = (fewer: string[]) => ({
        ...statement,
        conditions: { ...conditions, [operator]: { ...keys, [key]: fewer } },
      });
      return Array.isArray(values) ? [{ values, replaced }] : [];
    }),
  );
  return [{ values: resources, replaced: (fewer) => ({ ...statement, resources: fewer }) }, ...ofConditions];
}

function lengthOf({ values }: List): number {
  return JSON.stringify(values).length;
}

function textOf(statements: Statement<string>[]): string {
  return JSON.stringify(policyBody(statements));
}
