"use client";

import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";

import { DecideDialog } from "./decide-dialog.tsx";
import classes from "./decide-several.module.css";
import { messagesInWords, verbs } from "./held-words.ts";
import type { Decided, Decision, HeldRow } from "./queries.ts";

/** Decides about all messages that are chosen. */
export function DecideSeveral({
  chosen,
  onAll,
  onNone,
}: {
  chosen: HeldRow[];
  onAll: () => void;
  onNone: () => void;
}) {
  const [asked, setAsked] = useState<Decision | null>(null);
  const [outcome, setOutcome] = useState("");
  const act = (decision: Decision) => () => {
    setOutcome("");
    setAsked(decision);
  };
  const isNone = chosen.length === 0;
  const finish = (decided: Decided) => {
    setOutcome(outcomeInWords(asked!, decided));
    setAsked(null);
    onNone();
  };
  return (
    <div className={classes.bar}>
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={isNone ? onAll : onNone}>
          {isNone ? "Choose all" : "Choose none"}
        </Button>
        <Button variant="default" size="xs" disabled={isNone} onClick={act("release")}>
          {verbs.release.held}
        </Button>
        <Button variant="default" size="xs" disabled={isNone} onClick={act("delete")}>
          {verbs.delete.held}
        </Button>
      </Group>
      <Text size="sm" c="dimmed" role="status">
        {isNone ? outcome : `${messagesInWords(chosen.length)} chosen`}
      </Text>
      <DecideDialog
        messages={chosen}
        decision={asked}
        onClose={() => setAsked(null)}
        onDone={finish}
      />
    </div>
  );
}

function outcomeInWords(decision: Decision, { done, gone }: Decided): string {
  const what = `${messagesInWords(done)} ${decision === "release" ? "released" : "deleted"}`;
  if (gone.length === 0) return `${what}.`;
  return `${what}. No more: ${[...new Set(gone)].join(", ")}.`;
}
