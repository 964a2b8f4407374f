"use client";

import { Text } from "@mantine/core";
import { useState } from "react";

import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { formatCount, pluralize } from "#app/console/ui/format.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";

import {
  type Decision,
  type DecisionOutcome,
  type QuarantineRow,
  type Reason,
  useDecideQuarantined,
} from "./queries.ts";

type DecidedMessage = Pick<QuarantineRow, "id" | "reason" | "recipients">;

/** Confirms a release or deletion; neither can be undone. */
export function DecisionDialog({
  messages,
  decision,
  onClose,
  onDone,
}: {
  messages: DecidedMessage[];
  /** Null while the dialog is closed. */
  decision: Decision | null;
  onClose: () => void;
  onDone: (decided: DecisionOutcome) => void;
}) {
  const [processed, setProcessed] = useState(0);
  const decide = useDecideQuarantined(setProcessed);
  const shown = decision ?? "release";
  const verb = actionVerb(shown, messages);
  const what = `${verb} ${countMessages(messages.length)}`;
  const hasVirus = messages.some(({ reason }) => reason === "virus");
  return (
    <ConfirmDialog
      isOpen={decision !== null}
      onClose={onClose}
      title={`${what}?`}
      confirmLabel={what}
      isHarmless={shown === "release" && !hasVirus}
      onConfirm={async () => {
        const ids = messages.map(({ id }) => id);
        onDone(await decide.mutateAsync({ ids, decision: shown }));
      }}
    >
      {shown === "release" ? (
        <ReleaseText messages={messages} hasVirus={hasVirus} />
      ) : (
        <Text>
          {messages.length === 1 ? "It" : "They"} won’t be delivered, and the{" "}
          {messages.length === 1 ? "sender isn" : "senders aren"}’t notified. This can’t be undone.
        </Text>
      )}
      {decide.isPending && messages.length > 1 && (
        <Text role="status" mt="xs">
          {formatCount(processed)} of {countMessages(messages.length)} processed
        </Text>
      )}
    </ConfirmDialog>
  );
}

function ReleaseText({ messages, hasVirus }: { messages: DecidedMessage[]; hasVirus: boolean }) {
  const [only] = messages;
  return (
    <>
      <Text>
        {messages.length === 1 && only
          ? `It will be delivered to ${only.recipients.join(", ")}.`
          : "They will be delivered to their recipients."}{" "}
        This can’t be undone.
      </Text>
      {hasVirus && (
        <Text mt="xs" fw={600}>
          A virus scanner flagged {messages.length === 1 ? "it" : "at least one of them"}. Release
          only if you’re sure the scanner is wrong.
        </Text>
      )}
    </>
  );
}

/** Group posts are approved or rejected; a mixed selection is released or deleted. */
function actionVerb(decision: Decision, messages: DecidedMessage[]): string {
  const isAllPosts = messages.length > 0 && messages.every(({ reason }) => reason === "moderation");
  return verbFor(decision, isAllPosts ? "moderation" : "spam");
}

export const reasons: Record<Reason, { label: string; tone: StatusTone; sentence: string }> = {
  spam: {
    label: "Spam",
    tone: "waiting",
    sentence: "Its spam score is too high for delivery to Junk.",
  },
  virus: {
    label: "Virus",
    tone: "failed",
    sentence: "A virus scanner flagged it. It wasn’t delivered.",
  },
  moderation: {
    label: "Moderation",
    tone: "info",
    sentence: "It was posted to a moderated group and needs approval.",
  },
};

export const verbs: Record<Decision, Record<"quarantined" | "moderation", string>> = {
  release: { quarantined: "Release", moderation: "Approve" },
  delete: { quarantined: "Delete", moderation: "Reject" },
};

export const verbFor = (decision: Decision, reason: Reason): string =>
  verbs[decision][reason === "moderation" ? "moderation" : "quarantined"];

export const countMessages = (count: number): string => pluralize(count, "message");
