"use client";

import { Text } from "@mantine/core";

import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";

import { messagesInWords, verbOf } from "./held-words.ts";
import { type Decided, type Decision, type HeldRow, useDecide } from "./queries.ts";

type Named = Pick<HeldRow, "id" | "reason" | "recipients">;

/** Asks before messages are released or deleted: neither can be taken back. */
export function DecideDialog({
  messages,
  decision,
  onClose,
  onDone,
}: {
  messages: Named[];
  /** Null while nothing is asked. */
  decision: Decision | null;
  onClose: () => void;
  onDone: (decided: Decided) => void;
}) {
  const decide = useDecide();
  const shown = decision ?? "release";
  const verb = verbFor(shown, messages);
  const what = `${verb} ${messagesInWords(messages.length)}`;
  const hasVirus = messages.some(({ reason }) => reason === "virus");
  const close = () => {
    decide.reset();
    onClose();
  };
  return (
    <ConfirmDialog
      isOpen={decision !== null}
      onClose={close}
      title={`${what}?`}
      verb={what}
      isHarmless={shown === "release" && !hasVirus}
      isPending={decide.isPending}
      error={decide.error}
      onConfirm={() =>
        decide.mutate({ ids: messages.map(({ id }) => id), decision: shown }, { onSuccess: onDone })
      }
    >
      {shown === "release" ? (
        <Release messages={messages} hasVirus={hasVirus} />
      ) : (
        <Text>
          Nobody will receive {messages.length === 1 ? "it" : "them"}, and who sent{" "}
          {messages.length === 1 ? "it" : "them"} is not told. This cannot be undone.
        </Text>
      )}
    </ConfirmDialog>
  );
}

function Release({ messages, hasVirus }: { messages: Named[]; hasVirus: boolean }) {
  const [only] = messages;
  return (
    <>
      <Text>
        {messages.length === 1 && only
          ? `It will be delivered to ${only.recipients.join(", ")}.`
          : "They will be delivered to those they are for."}{" "}
        This cannot be taken back.
      </Text>
      {hasVirus && (
        <Text mt="xs" fw={600}>
          A virus scanner found something in {messages.length === 1 ? "it" : "at least one of them"}
          . Release it only if you know that the scanner is wrong.
        </Text>
      )}
    </>
  );
}

/** Posts to groups have words of their own, unless there is other mail among them. */
function verbFor(decision: Decision, messages: Named[]): string {
  const isAllPosts = messages.length > 0 && messages.every(({ reason }) => reason === "moderation");
  return verbOf(decision, isAllPosts ? "moderation" : "spam");
}
