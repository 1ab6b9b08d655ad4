// What a first call came to. The page notices it by itself, and says what the terminal's errors mean where none comes.
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { useIsOwner } from "../../app/page.ts";
import { platformNow } from "../../app/platform.ts";
import { useRead } from "../../app/query.ts";
import { dayMs } from "../../charts/period.ts";
import { count, usd } from "../../parts/money.ts";
import { isoDay } from "../../parts/time.tsx";

const [soonMs, laterMs, patientMs, helpMs] = [2_000, 10_000, 120_000, 60_000];

/** Asks every two seconds, every ten after two minutes, and not while nobody looks. */
export function FirstCall() {
  const [start] = useState(() => Date.now());
  const [now, setNow] = useState(start);
  const [before, setBefore] = useState<number>();
  const isHidden = now - start < 0 || document.hidden;
  const me = useRead("GET /v1/me", undefined, {
    refetchInterval: isHidden ? false : now - start < patientMs ? soonMs : laterMs,
  });
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const spent = (me.data?.budget?.spent_usd ?? 0) + (me.data?.budget?.reserved_usd ?? 0);
  useEffect(() => {
    if (me.data && before === undefined) setBefore(spent);
  }, [me.data, before, spent]);
  if (me.data && before !== undefined && spent > before)
    return <ItWorks callerId={me.data.user_id} creditLeft={me.data.free_credit?.left_tokens} />;
  return (
    <>
      <p role="status">Waiting for your call …</p>
      {now - start > helpMs && <Hints />}
    </>
  );
}

/** The call itself is known once it has ended. */
function ItWorks({ callerId, creditLeft = 0 }: { callerId: string; creditLeft?: number | undefined }) {
  const isOwner = useIsOwner();
  const [time] = useState(platformNow);
  const query = { from: isoDay(time), to: isoDay(time + dayMs), caller_id: callerId, limit: 1 };
  const [isKnown, setKnown] = useState(false);
  const calls = useRead("GET /v1/calls", { query }, { refetchInterval: isKnown ? false : soonMs });
  const call = calls.data?.data[0];
  useEffect(() => setKnown(call !== undefined), [call]);
  return (
    <div className="success" role="status">
      <p>
        <strong>It works.</strong>{" "}
        {call
          ? `${call.model} read ${count(call.input_tokens)} tokens and wrote ${count(call.output_tokens)}, for ${usd(call.cost_usd)} at list price.`
          : "What it cost is known once the answer has ended."}
        {creditLeft > 0 && ` ${count(creditLeft)} tokens of free credit are left.`}
      </p>
      <p>
        Next:{" "}
        {isOwner && (
          <>
            <Link href="/people">invite people</Link>,{" "}
          </>
        )}
        <Link href="/usage">see usage</Link>, <Link href="/models">choose models</Link>,{" "}
        <Link href="/mcp">connect tools</Link>.
      </p>
    </div>
  );
}

function Hints() {
  return (
    <dl className="hints">
      <dt>401 authentication_error</dt>
      <dd>The key is not complete. Copy the whole command again.</dd>
      <dt>403 permission_error</dt>
      <dd>The model is not granted to you, or the address belongs to another workspace.</dd>
      <dt>404 not_found_error</dt>
      <dd>The model's name is not known here. The names are under Models.</dd>
      <dt>429 billing_error</dt>
      <dd>The budget or the free credit is spent. The owner raises it, or adds a payment method.</dd>
      <dt>An assistant does not start</dt>
      <dd>
        Run <code>archway doctor</code>: it tries what the assistant would do and says what is in the way.
      </dd>
    </dl>
  );
}
