// The value of the IAM condition key `dynamodb:Attributes`: the top-level attribute names in the items, keys and expressions of a checked
// request, whether they are read, written or only compared. The attributes of the answer do not count
// (docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html).
import type { Item, Request } from "./dynalite.ts";

/** A path such as `a.b[0]` as dynalite's parsers give it: the attribute's name first. */
type Path = [string, ...unknown[]];
/** An operator or function with its arguments, a path, or a value such as `{ S: "a" }`. */
type Operand = { args: Operand[] } | Path | Item[string];

/** The members of a request that name attributes, before and after the checks of dynalite. */
type Named = {
  [member in (typeof members)[number]]?: object;
} & {
  AttributesToGet?: string[];
  _projection?: { paths: Path[] };
  _updates?: { paths: Path[]; sections: { val?: Operand }[] };
  _condition?: { expression: Operand };
  _filter?: { expression: Operand };
};

/** Members that are maps by attribute. dynalite's check has turned a key condition expression into KeyConditions. */
const members = [
  ...["Item", "Key", "ExclusiveStartKey", "KeyConditions"],
  ...["Expected", "AttributeUpdates", "QueryFilter", "ScanFilter"],
] as const;

/** Each name once, of a request on one table or of one action of a transaction. */
export function attributeNames(request: Request): string[] {
  const { AttributesToGet = [], _projection, _updates, _condition, _filter, ...maps } = request as Named;
  const paths = [...(_projection?.paths ?? []), ...(_updates?.paths ?? [])];
  const operands = [...(_updates?.sections.map(({ val }) => val) ?? []), _condition?.expression, _filter?.expression];
  const names = [
    ...members.flatMap((member) => Object.keys(maps[member] ?? {})),
    ...AttributesToGet,
    ...paths.map(([name]) => name),
    ...operands.flatMap((operand) => (operand ? namesIn(operand) : [])),
  ];
  return [...new Set(names)];
}

function namesIn(operand: Operand): string[] {
  if (Array.isArray(operand)) return [operand[0]];
  return "args" in operand ? (operand.args as Operand[]).flatMap(namesIn) : [];
}
