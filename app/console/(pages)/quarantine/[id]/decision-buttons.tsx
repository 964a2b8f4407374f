"use client";

import { Button, Group } from "@mantine/core";
import { useRouter } from "next/navigation";
import { useState } from "react";

import { DecisionDialog } from "#app/console/(pages)/quarantine/decision-dialog.tsx";
import { verbFor } from "#app/console/(pages)/quarantine/quarantine-labels.ts";
import type { Decision, QuarantineDetail } from "#app/console/(pages)/quarantine/queries.ts";

export function DecisionButtons({ message }: { message: QuarantineDetail }) {
  const router = useRouter();
  const [asked, setAsked] = useState<Decision | null>(null);
  // Deleting is the primary action for a virus.
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
            {verbFor(decision, message.reason)}
          </Button>
        ),
      )}
      <DecisionDialog
        messages={[message]}
        decision={asked}
        onClose={() => setAsked(null)}
        onDone={() => router.push("/console/quarantine")}
      />
    </Group>
  );
}
