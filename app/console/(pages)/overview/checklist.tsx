"use client";

import { Button, Group } from "@mantine/core";
import { useState } from "react";

import { Panel } from "#app/console/ui/panel.tsx";
import { toast } from "#app/console/ui/actions.tsx";

import { ChecklistSteps } from "./checklist-steps.tsx";
import { GoalChoice } from "./goal-choice.tsx";
import { type ChecklistAnswer, useHideChecklist } from "./queries.ts";

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
