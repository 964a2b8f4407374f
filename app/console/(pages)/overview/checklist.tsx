"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";

import { curlSnippet } from "#app/console/(pages)/emails/curl.ts";
import { meQuery } from "#app/console/session-queries.ts";
import { CodeBlock } from "#app/console/ui/code-block.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { toast } from "#app/console/ui/toast.ts";

import classes from "./overview.module.css";
import { type ChecklistAnswer, usePutChecklistAway } from "./queries.ts";

/** The way to the first email that arrives: where the company stands, and the next step. */
export function Checklist({ checklist }: { checklist: ChecklistAnswer }) {
  const put = usePutChecklistAway();
  if (checklist.is_put_away)
    return (
      <div>
        <Button variant="subtle" size="compact-sm" onClick={() => put.mutate(false)}>
          Show the first steps
        </Button>
      </div>
    );

  function putAway() {
    put.mutate(true);
    toast("The first steps are put away.", { undo: () => put.mutate(false) });
  }

  return (
    <Panel
      title="First steps"
      aside={
        <Button variant="subtle" color="gray" size="compact-sm" onClick={putAway}>
          Put away
        </Button>
      }
    >
      <Steps checklist={checklist} />
    </Panel>
  );
}

function Steps({ checklist }: { checklist: ChecklistAnswer }) {
  const { domain, is_verified: isVerified, has_key: hasKey, has_sent: hasSent } = checklist;
  const isDone = [domain !== null, isVerified, hasKey, hasSent, false];
  const next = isDone.indexOf(false);
  const step = (place: number) => ({ place, isDone: isDone[place]!, isNext: place === next });
  return (
    <ol className={classes.steps}>
      <Step {...step(0)} title="Add a domain">
        <span>Emails come from addresses of a domain of yours.</span>
        <Go to="/console/domains?new">Add domain</Go>
      </Step>
      <Step {...step(1)} title={domain ? `Verify ${domain.name}` : "Verify it"}>
        <span>
          Publish its DNS records: they prove that it is yours, and that we may send for it.
        </span>
        {domain && <Go to={`/console/domains/${domain.id}`}>See the records</Go>}
      </Step>
      <Step {...step(2)} title="Create an API key">
        <span>Your application sends with it.</span>
        <Go to="/console/api-keys/new">Create API key</Go>
      </Step>
      <Step {...step(3)} title="Send the first email">
        <FirstEmail domain={domain?.name ?? null} />
      </Step>
      <Step {...step(4)} title="See it delivered">
        <span>{hasSent ? "It is on its way." : "It shows up here by itself."}</span>
        <Go to="/console/emails">Go to the emails</Go>
      </Step>
    </ol>
  );
}

/** The one thing to do now. */
function Go({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Button component={Link} href={to}>
      {children}
    </Button>
  );
}

function Step({
  place,
  isDone,
  isNext,
  title,
  children,
}: {
  place: number;
  isDone: boolean;
  isNext: boolean;
  title: string;
  children: ReactNode;
}) {
  return (
    <li className={classes.step} aria-current={isNext ? "step" : undefined}>
      <div className={classes.stepHead}>
        <span className={classes.stepTitle}>
          {place + 1}. {title}
        </span>
        <Status
          meaning={isDone ? "done" : isNext ? "informing" : "none"}
          word={isDone ? "Done" : isNext ? "Next" : "Later"}
        />
      </div>
      {isNext && <div className={classes.stepBody}>{children}</div>}
    </li>
  );
}

function FirstEmail({ domain }: { domain: string | null }) {
  const me = useQuery(meQuery);
  const code = curlSnippet(window.location.origin, {
    from: `Hello <hello@${domain ?? "your-domain.example"}>`,
    to: me.data?.email ?? "you@example.com",
    subject: "Hello from Posthouse",
    text: "It works.",
  });
  return (
    <>
      <Text>
        Put your API key in <code>POSTHOUSE_API_KEY</code> and run this in a terminal.
      </Text>
      <CodeBlock code={code} what="curl command" />
    </>
  );
}
