"use client";

import { Button, Group } from "@mantine/core";
import { useRouter } from "next/navigation";
import { useState } from "react";

import { DecideDialog } from "#app/console/(pages)/quarantine/decide-dialog.tsx";
import { verbOf } from "#app/console/(pages)/quarantine/held-words.ts";
import type { Decision, HeldDetail } from "#app/console/(pages)/quarantine/queries.ts";

/** Releases or deletes the message, and goes back to the others. */
export function Decide({ message }: { message: HeldDetail }) {
  const router = useRouter();
  const [asked, setAsked] = useState<Decision | null>(null);
  // The right thing to do with a virus is nobody's second thought.
  const isVirus = message.reason === "virus";
  return (
    <Group gap="xs">
      {(isVirus ? (["release", "delete"] as const) : (["delete", "release"] as const)).map(
        (decision, at) => (
          <Button
            key={decision}
            {...(at === 0 && { variant: "default" })}
            onClick={() => setAsked(decision)}
          >
            {verbOf(decision, message.reason)}
          </Button>
        ),
      )}
      <DecideDialog
        messages={[message]}
        decision={asked}
        onClose={() => setAsked(null)}
        onDone={() => router.push("/console/quarantine")}
      />
    </Group>
  );
}
