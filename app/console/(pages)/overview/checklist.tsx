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
import { toast } from "#app/console/ui/toast.tsx";

import classes from "./overview.module.css";
import { type ChecklistAnswer, useHideChecklist } from "./queries.ts";

/** The steps to a company's first delivered email. */
export function Checklist({ checklist }: { checklist: ChecklistAnswer }) {
  const hide = useHideChecklist();
  if (checklist.is_hidden)
    return (
      <div>
        <Button variant="subtle" size="compact-sm" onClick={() => hide.mutate(false)}>
          Show setup steps
        </Button>
      </div>
    );

  function handleHide() {
    hide.mutate(true);
    toast("Setup steps hidden", { undo: () => hide.mutate(false) });
  }

  return (
    <Panel
      title="Get started"
      aside={
        <Button variant="subtle" color="gray" size="compact-sm" onClick={handleHide}>
          Hide steps
        </Button>
      }
    >
      <ChecklistSteps checklist={checklist} />
    </Panel>
  );
}

function ChecklistSteps({ checklist }: { checklist: ChecklistAnswer }) {
  const { domain, is_verified: isVerified, has_key: hasKey, has_sent: hasSent } = checklist;
  const isDone = [domain !== null, isVerified, hasKey, hasSent, false];
  const next = isDone.indexOf(false);
  const step = (place: number) => ({ place, isDone: isDone[place]!, isNext: place === next });
  return (
    <ol className={classes.steps}>
      <ChecklistStep {...step(0)} title="Create a domain">
        <span>You send emails from addresses at your own domain.</span>
        <StepButton to="/console/domains?new">Create domain</StepButton>
      </ChecklistStep>
      <ChecklistStep {...step(1)} title={domain ? `Verify ${domain.name}` : "Verify the domain"}>
        <span>
          Publish its DNS records to verify that you own the domain and to authenticate your emails.
        </span>
        {domain && <StepButton to={`/console/domains/${domain.id}`}>View DNS records</StepButton>}
      </ChecklistStep>
      <ChecklistStep {...step(2)} title="Create an API key">
        <span>Your application needs an API key to send emails.</span>
        <StepButton to="/console/api-keys/new">Create API key</StepButton>
      </ChecklistStep>
      <ChecklistStep {...step(3)} title="Send your first email">
        <FirstEmailSample domain={domain?.name ?? null} />
      </ChecklistStep>
      <ChecklistStep {...step(4)} title="Watch the delivery">
        <span>
          {hasSent ? "Your email is being delivered." : "This step updates automatically."}
        </span>
        <StepButton to="/console/emails">View emails</StepButton>
      </ChecklistStep>
    </ol>
  );
}

function StepButton({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Button component={Link} href={to}>
      {children}
    </Button>
  );
}

function ChecklistStep({
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
          tone={isDone ? "done" : isNext ? "info" : "none"}
          label={isDone ? "Done" : isNext ? "Next" : "Later"}
        />
      </div>
      {isNext && <div className={classes.stepBody}>{children}</div>}
    </li>
  );
}

function FirstEmailSample({ domain }: { domain: string | null }) {
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
        Set <code>POSTHOUSE_API_KEY</code> to your API key and run this command in a terminal.
      </Text>
      <CodeBlock code={code} label="curl command" />
    </>
  );
}
