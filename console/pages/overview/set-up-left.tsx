// What an owner has not done yet of what makes a workspace useful to others. Gone once all is done.
import { Link } from "wouter";
import { useWorkspace } from "../../app/page.ts";
import { platform } from "../../app/platform.ts";
import { useRead } from "../../app/query.ts";

/** The read is the same as that for budgets near their end, so that one request serves both. */
export const callersOf = ["GET /v1/callers", { query: { limit: 100 } }] as const;

export function SetUpLeft({ hasCalled }: { hasCalled: boolean }) {
  const { has_payment_method } = useWorkspace();
  const callers = useRead(...callersOf);
  if (!callers.data) return null;
  const people = callers.data.data.filter(({ kind }) => kind === "person").length;
  const steps = [
    { path: "/start", text: "Make a first call", isDone: hasCalled },
    { path: "/people", text: "Invite people, with what each may spend", isDone: people > 1 },
    ...(platform().billing
      ? [
          {
            path: "/billing",
            text: "Add a payment method, for when the free credit is used",
            isDone: has_payment_method,
          },
        ]
      : []),
  ];
  if (steps.every(({ isDone }) => isDone)) return null;
  return (
    <section className="card">
      <h2>Left to set up</h2>
      <ul className="steps">
        {steps.map(({ path, text, isDone }) => (
          <li key={path}>{isDone ? <span className="quiet">✓ {text}</span> : <Link href={path}>{text}</Link>}</li>
        ))}
      </ul>
    </section>
  );
}
