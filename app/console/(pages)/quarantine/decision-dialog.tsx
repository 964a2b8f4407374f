import { Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { type AnswerOf, change, ConsoleError } from "#app/console/console-client.ts";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { formatCount, pluralize } from "#app/console/ui/format.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";

export type QuarantineRow = AnswerOf<"quarantine.list">["data"][number];
type Reason = QuarantineRow["reason"];
type DecidedMessage = Pick<QuarantineRow, "id" | "reason" | "recipients">;

type DecisionDialogProps = {
  messages: DecidedMessage[];
  /** Null while the dialog is closed. */
  decision: Decision | null;
  onClose: () => void;
  onDone: (decided: DecisionOutcome) => void;
};

/** Confirms a release or deletion; neither can be undone. */
export function DecisionDialog({ messages, decision, onClose, onDone }: DecisionDialogProps) {
  const [processed, setProcessed] = useState(0);
  const decide = useDecideQuarantined(setProcessed);
  const shown = decision ?? "release";
  const verb = actionVerb(shown, messages);
  const what = `${verb} ${pluralMessages(messages.length)}`;
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
          {formatCount(processed)} of {pluralMessages(messages.length)} processed
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

export const pluralMessages = (count: number): string => pluralize(count, "message");

export type Decision = "release" | "delete";

export type DecisionOutcome = {
  done: number;
  /** Recipients of released messages that no longer exist. */
  gone: string[];
};

/**
 * Releases or deletes messages one after the other and stops at the first error. In a bulk action,
 * messages that another admin has already decided on are skipped.
 *
 * @param onProgress receives the number of messages processed so far
 */
function useDecideQuarantined(onProgress?: (processed: number) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    async mutationFn({ ids, decision }: { ids: string[]; decision: Decision }) {
      const decided: DecisionOutcome = { done: 0, gone: [] };
      for (const [at, id] of ids.entries()) {
        onProgress?.(at);
        const gone = await decide(id, decision).catch((error: unknown) => {
          const isAlreadyDecided = error instanceof ConsoleError && error.status === 404;
          if (isAlreadyDecided && ids.length > 1) return null;
          throw error;
        });
        if (gone === null) continue;
        decided.done += 1;
        decided.gone.push(...gone);
      }
      return decided;
    },
    // Only the list: an open message no longer exists, and its page is closing.
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["quarantine", "list"] }),
  });
}

/** @returns recipients that no longer exist */
async function decide(id: string, decision: Decision): Promise<string[]> {
  const params = { id };
  if (decision === "delete") {
    await change("quarantine.delete", { params });
    return [];
  }
  const { gone } = await change("quarantine.release", { params });
  return gone;
}
