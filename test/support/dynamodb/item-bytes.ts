// The size of an item by DynamoDB's own rules (docs.aws.amazon.com/amazondynamodb/latest/developerguide/
// CapacityUnitCalculations.html, "Item sizes and formats"). Capacity is counted in KB of these.
import type { AttributeValue } from "@aws-sdk/client-dynamodb";

/** @param item as DynamoDB's JSON has it */
export function itemBytes(item: Record<string, AttributeValue>): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);
}

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return numberBytes(value.N);
  if (value.SS !== undefined) return value.SS.reduce((sum, each) => sum + Buffer.byteLength(each), 0);
  if (value.BOOL !== undefined || value.NULL !== undefined) return 1;
  // Three bytes for itself, and one for each of its elements.
  if (value.M) return 3 + Object.keys(value.M).length + itemBytes(value.M);
  if (value.L) return 3 + value.L.reduce((sum, each) => sum + 1 + valueBytes(each), 0);
  throw new Error(`no size is known of ${Object.keys(value)}`);
}

/** A byte for two significant digits and one more. A negative number has a byte for its sign, as AWS's own tools count it. */
function numberBytes(number: string): number {
  const digits = number.replace("-", "").replace(/^0+|0+$/g, "");
  return Math.ceil(digits.length / 2) + 1 + (number.startsWith("-") ? 1 : 0);
}
