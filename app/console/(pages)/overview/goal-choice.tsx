import { UnstyledButton } from "@mantine/core";

import { useAction } from "#app/console/ui/actions.tsx";

import classes from "./checklist.module.css";
import { changeChecklist, type ChecklistAnswer, type FirstGoal, overviewQuery } from "./queries.ts";

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

/** The question that decides which steps are shown. */
export function GoalChoice({
  checklist: { goal: current, goals },
  onChosen,
}: {
  checklist: ChecklistAnswer;
  onChosen: () => void;
}) {
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
