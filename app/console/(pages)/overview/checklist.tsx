import { Button, Group, Text, UnstyledButton } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import Link from "next/link";
import { type ReactNode, useState } from "react";

import { curlSnippet } from "#app/console/(pages)/emails/email-code.ts";
import { type Me, useMe, usePrivileges } from "#app/console/session.ts";
import type { Privilege } from "#server/universal/privileges.ts";
import { toast, useAction } from "#app/console/ui/actions.tsx";
import { CodeBlock } from "#app/console/ui/code.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./overview.module.css";
import {
  changeChecklist,
  type ChecklistAnswer,
  type ChecklistStepName,
  type FirstGoal,
  overviewQuery,
  useHideChecklist,
} from "./queries.ts";

/** What an admin of a new company does first, and the steps to it. */
export function Checklist({ checklist }: { checklist: ChecklistAnswer }) {
  const hide = useHideChecklist();
  const [isChoosing, setIsChoosing] = useState(false);
  if (checklist.isHidden)
    return (
      <div>
        <Button variant="subtle" size="compact-sm" onClick={() => hide(false)}>
          Show setup steps
        </Button>
      </div>
    );

  function handleHide() {
    hide(true, () => toast("Setup steps hidden", { undo: () => hide(false) }));
  }

  const isAsked = isChoosing || checklist.goal === null;
  const { steps, goals } = checklist;
  const done = steps.filter((step) => step.isDone).length;
  return (
    <Panel
      title={isAsked ? "What do you want to do first?" : "Get started"}
      aside={
        <Group gap="xs">
          {!isAsked && goals.length > 1 && (
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              onClick={() => setIsChoosing(true)}
            >
              Change goal
            </Button>
          )}
          <Button variant="subtle" color="gray" size="compact-sm" onClick={handleHide}>
            Hide steps
          </Button>
        </Group>
      }
    >
      {isAsked ? (
        <GoalChoice checklist={checklist} onChosen={() => setIsChoosing(false)} />
      ) : (
        <ChecklistSteps checklist={checklist} progress={`${done} of ${steps.length} steps done`} />
      )}
    </Panel>
  );
}

type Step = {
  title: string;
  /** Why, or what to do. */
  text: string;
  /** The page that does it; absent if another step comes first. */
  href?: string;
  /** On the button to the page. */
  verb?: string;
  /** The page's privilege. */
  needs?: Privilege;
};

const STEPS: Record<ChecklistStepName, (checklist: ChecklistAnswer, me: Me | undefined) => Step> = {
  domain: () => ({
    title: "Create your domain",
    needs: "domains",
    verb: "Create domain",
    text: "The part after the @ in your addresses.",
    href: "/console/domains?new",
  }),
  dns: ({ domain, goal }, me) => {
    const title = domain ? `Publish the DNS records of ${domain.name}` : "Publish its DNS records";
    if (me?.isLocalMode)
      return {
        title,
        text: "This server needs a public hostname first. An operator can set one up under Operate, Go live.",
        ...(me.isOperator && { href: "/console/operate/go-live", verb: "Go live" }),
      };
    return {
      title,
      text:
        goal === "send"
          ? "They verify that you own the domain and authenticate your emails."
          : "They verify that you own the domain, authenticate your emails and bring mail to your mailboxes.",
      ...(domain && { href: `/console/domains/${domain.id}`, verb: "View DNS records" }),
    };
  },
  api_key: () => ({
    title: "Create an API key",
    needs: "api_controls",
    verb: "Create API key",
    text: "Your application needs it to send emails.",
    href: "/console/api-keys/new",
  }),
  send: ({ hasSent }) => ({
    title: "Send your first email",
    needs: "api_controls",
    text: hasSent
      ? "Your email was accepted. This step is done when an email is delivered."
      : "From your application, with the API or SMTP. This step is done when an email is delivered.",
    ...(hasSent && { href: "/console/emails", verb: "View emails" }),
  }),
  mailboxes: () => ({
    title: "Create mailboxes",
    needs: "create_users",
    verb: "Create mailbox",
    text: "One at a time, or all at once from a list.",
    href: "/console/mailboxes/new",
  }),
  mail_app: ({ mailbox }) => ({
    title: "Connect a mail app",
    needs: "view_users",
    text: "Sign in to a mailbox with Outlook, Apple Mail, Thunderbird or a phone.",
    ...(mailbox && {
      href: `/console/mailboxes/${encodeURIComponent(mailbox)}?tab=apps`,
      verb: "View app settings",
    }),
  }),
  invite: () => ({
    title: "Invite another admin",
    needs: "manage_admins",
    verb: "Invite admin",
    text: "So that someone can help if you’re away or locked out.",
    href: "/console/team?new",
  }),
  second_factor: () => ({
    title: "Turn on two-factor authentication",
    verb: "Open profile",
    text: "A passkey or an authenticator app protects your sign-in.",
    href: "/console/profile?tab=security",
  }),
};

function ChecklistSteps({ checklist, progress }: { checklist: ChecklistAnswer; progress: string }) {
  const me = useMe();
  const next = checklist.steps.find((step) => !step.isDone)?.name;
  return (
    <>
      <p className={classes.progress} role="status">
        {progress}
      </p>
      <ol>
        {checklist.steps.map(({ name, isDone }) => (
          <ChecklistStep
            key={name}
            step={STEPS[name](checklist, me)}
            isDone={isDone}
            isNext={name === next}
          >
            {name === "send" && name === next && !checklist.hasSent && (
              <FirstEmailSample domain={checklist.domain?.name ?? null} />
            )}
          </ChecklistStep>
        ))}
      </ol>
    </>
  );
}

type ChecklistStepProps = {
  step: Step;
  isDone: boolean;
  isNext: boolean;
  children: ReactNode;
};

function ChecklistStep({ step, isDone, isNext, children }: ChecklistStepProps) {
  const { title, text } = step;
  return (
    <li className={classes.step} aria-current={isNext ? "step" : undefined}>
      <span className={classes.mark} data-is-done={isDone || undefined}>
        {isDone && <IconCheck size={14} stroke={3} role="img" aria-label="Done" />}
      </span>
      <div className={classes.words}>
        <div className={classes.title}>{title}</div>
        {!isDone && <div className={classes.text}>{text}</div>}
      </div>
      {!isDone && <StepAction step={step} isNext={isNext} />}
      {children}
    </li>
  );
}

function StepAction({ step: { href, verb, needs }, isNext }: { step: Step; isNext: boolean }) {
  const { has } = usePrivileges();
  if (needs && !has(needs)) return <span className={classes.text}>Ask an owner to do this</span>;
  return (
    href && (
      <Button component={Link} href={href} size="xs" variant={isNext ? "filled" : "default"}>
        {verb}
      </Button>
    )
  );
}

function FirstEmailSample({ domain }: { domain: string | null }) {
  const me = useMe();
  const code = curlSnippet(window.location.origin, {
    from: `Hello <hello@${domain ?? "your-domain.example"}>`,
    to: me?.email ?? "you@example.com",
    subject: "Hello from Posthouse",
    text: "It works.",
  });
  return (
    <div className={classes.sample}>
      <Text>
        Set <code>POSTHOUSE_API_KEY</code> to your API key and run this command in a terminal.
      </Text>
      <CodeBlock code={code} label="curl command" />
    </div>
  );
}

const GOALS: Record<FirstGoal, { label: string; help: string }> = {
  send: {
    label: "Send from an app",
    help: "Your application sends receipts, password resets or notifications through the API or SMTP.",
  },
  mailboxes: {
    label: "Mailboxes for my team",
    help: "People get addresses at your domain and use them in Outlook, Apple Mail or any other mail app.",
  },
  both: { label: "Both", help: "Set up the domain once, for your application and your team." },
};

type GoalChoiceProps = { checklist: ChecklistAnswer; onChosen: () => void };

/** The question that decides which steps are shown. */
function GoalChoice({ checklist: { goal: current, goals }, onChosen }: GoalChoiceProps) {
  const choose = useAction({
    call: (goal: FirstGoal) => changeChecklist({ goal }),
    invalidates: [overviewQuery.queryKey],
    onDone: onChosen,
  });
  return (
    <div className={classes.goals}>
      {goals.map((goal) => (
        <UnstyledButton
          key={goal}
          className={classes.goal}
          aria-current={goal === current || undefined}
          aria-busy={choose.isPending}
          onClick={() => choose.start(goal)}
        >
          <span className={classes.goalLabel}>{GOALS[goal].label}</span>
          <span className={classes.goalHelp}>{GOALS[goal].help}</span>
        </UnstyledButton>
      ))}
    </div>
  );
}
