// A function's contract names its entry, its limits and its environment. The component must set exactly this, and lambda.ts reads it.
import * as z from "zod";

export type EnvShape = z.ZodRawShape;

/** The needs of a function, which whoever deploys it has to meet. */
export type FunctionContract<Shape extends EnvShape = EnvShape> = {
  /** The file that AWS runs, from the repository's root. */
  readonly entry: `handlers/${string}/lambda.ts`;
  /** 1 to 900 (a Lambda limit). */
  readonly timeoutSeconds: number;
  /** 128 to 10,240 (a Lambda limit); CPU grows with it. */
  readonly memoryMb: number;
  readonly env: z.ZodObject<Shape>;
};

/** The strings that the component must set. Variables with a default may be left out. */
export type EnvInput<C extends FunctionContract> = z.input<C["env"]>;
/** The parsed values that the handler reads. */
export type Env<C extends FunctionContract> = z.output<C["env"]>;

export function defineFunction<Shape extends EnvShape>(
  contract: Omit<FunctionContract<Shape>, "env"> & { env: Shape },
): FunctionContract<Shape> {
  return { ...contract, env: z.object(contract.env) };
}

/**
 * Reads a function's environment at its start.
 * @throws Error that lists every missing or wrong variable by name, never a value.
 */
export function readEnv<C extends FunctionContract>(
  contract: C,
  source: Record<string, string | undefined> = process.env,
): Env<C> {
  return checked(contract.entry, contract.env, source) as Env<C>;
}

function checked<T extends z.ZodType>(reader: string, schema: T, source: unknown): z.output<T> {
  const parsed = schema.safeParse(source, { reportInput: true });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    ({ path, input, message }) => `  ${path.join(".")}: ${input === undefined ? "is missing" : message}`,
  );
  throw new Error(`${reader}: bad environment\n${problems.join("\n")}`);
}

const runtimeEnvironment = z.object({
  AWS_REGION: z.string().min(1),
  AWS_ACCESS_KEY_ID: z.string().min(1),
  AWS_SECRET_ACCESS_KEY: z.string().min(1),
  AWS_SESSION_TOKEN: z.string().optional(),
  AWS_ENDPOINT_URL: z.url().optional(),
  AWS_ENDPOINT_URL_DYNAMODB: z.url().optional(),
  AWS_ENDPOINT_URL_BEDROCK_RUNTIME: z.url().optional(),
  AWS_ENDPOINT_URL_BEDROCK_AGENTCORE: z.url().optional(),
});

/** Variables that the Lambda runtime sets in every function. The endpoints are those that AWS's SDKs read too. */
export type Runtime = {
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  endpoints: { dynamodb: string | undefined; bedrockRuntime: string | undefined; agentCore: string | undefined };
};

/** @throws Error as `readEnv` does. */
export function readRuntime(source: Record<string, string | undefined> = process.env): Runtime {
  const env = checked("Lambda's runtime", runtimeEnvironment, source);
  const { AWS_SESSION_TOKEN: sessionToken } = env;
  return {
    region: env.AWS_REGION,
    credentials: {
      accessKeyId: env.AWS_ACCESS_KEY_ID,
      secretAccessKey: env.AWS_SECRET_ACCESS_KEY,
      ...(sessionToken !== undefined && { sessionToken }),
    },
    endpoints: {
      dynamodb: env.AWS_ENDPOINT_URL_DYNAMODB ?? env.AWS_ENDPOINT_URL,
      bedrockRuntime: env.AWS_ENDPOINT_URL_BEDROCK_RUNTIME ?? env.AWS_ENDPOINT_URL,
      agentCore: env.AWS_ENDPOINT_URL_BEDROCK_AGENTCORE ?? env.AWS_ENDPOINT_URL,
    },
  };
}

/**
 * Variables of a function that sends mails: the platform's name in them, and the sender. A stack without a sender sets neither variable of
 * the sender.
 */
export const mailSender = {
  /** The platform's name, and the address of its console. */
  BRAND: z.string().min(1),
  CONSOLE_URL: z.url(),
  MAIL_FROM: z.string().min(1).optional(),
  MAIL_IDENTITY_ARN: z.string().startsWith("arn:aws:ses:").optional(),
};

/** The platform as mails name it, in the domain's form. */
export function platformOf({ BRAND, CONSOLE_URL }: { BRAND: string; CONSOLE_URL: string }) {
  return { brand: BRAND, consoleUrl: CONSOLE_URL };
}

/** The functions that alone may change what lies outside the table, for a function that asks them (actions/). */
export const askedFunctions = {
  TENANT_KEYS_ARN: z.string().min(1),
  ACCOUNTS_ARN: z.string().min(1),
  /** Absent in a stack without billing. */
  PAYMENTS_ARN: z.string().min(1).optional(),
};

/** A whole number written as a string, as environment variables are. */
export const integer = z
  .string()
  .regex(/^-?\d+$/, "must be a whole number")
  .transform(Number)
  .pipe(z.int());

/** The variables of a function that asks the payment provider. */
export const paymentVariables = {
  /** The secret in Secrets Manager with `secret_key` and `webhook_secret`. */
  STRIPE_SECRET_ARN: z.string().startsWith("arn:aws:secretsmanager:"),
  /** The factor from list price to billed price. */
  BILLING_MARKUP: z.string().transform(Number).pipe(z.number().positive()),
  /** What an owner may use before the first payment, in nano-USD at list price. */
  TRIAL_CAP: integer,
  BILLING_TAX: z.enum(["off", "automatic"]),
};

/** The variables of a function that reads what an owner has paid: amounts in nano-USD at list price. */
export const trustVariables = {
  TRIAL_CAP: paymentVariables.TRIAL_CAP,
  /** What an owner may use at most in the first week and in the first month. */
  FIRST_WEEK_CAP: integer,
  FIRST_MONTH_CAP: integer,
  /** The key of the hashes by which owners are recognized who come again. */
  RECOGNITION_KEY: z.string().min(32),
};

/** `true` or `false` written as a string. */
export const flag = z.enum(["true", "false"]).transform((text) => text === "true");

/** A JSON document written as a string, checked by `schema`. */
export function json<T extends z.ZodType>(schema: T) {
  return z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: "custom", message: "must be JSON" });
        return z.NEVER;
      }
    })
    .pipe(schema);
}
