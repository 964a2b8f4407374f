import { Group, Stack, Text } from "@mantine/core";
import { useState } from "react";

import classes from "#app/console/(pages)/emails/emails.module.css";
import { type AnswerOf, change } from "#app/console/console-client.ts";
import { useAction } from "#app/console/ui/actions.tsx";
import { DescriptionList, ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { formatBytes, formatDuration, pluralize, typographic } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status, StatusDot } from "#app/console/ui/status.tsx";

import type { ComposedEmail } from "./compose-values.ts";

type EmailCheck = AnswerOf<"emails.check">;

/**
 * Checks the email as it is now. The result stays until the next check.
 *
 * @param mark marks the fields that an error is about, and returns whether they show all of it
 */
export function useCheckEmail(
  compose: () => Promise<ComposedEmail>,
  mark: (error: Error) => boolean,
) {
  const [result, setResult] = useState<EmailCheck | null>(null);
  const { start, isPending } = useAction({
    async call() {
      try {
        setResult(await change("emails.check", { body: await compose() }));
      } catch (error) {
        setResult(null);
        if (!mark(error as Error)) throw error;
      }
    },
  });
  return { result, start, isPending };
}

const VERDICTS = {
  ok: { tone: "done", label: "No problems found" },
  warnings: { tone: "waiting", label: "Can be sent, with warnings" },
  errors: { tone: "failed", label: "Won’t be sent to some or all recipients" },
} as const;

const LEVELS = { error: "Error", warning: "Warning" };
const SPF = { aligned: "aligned", not_aligned: "not aligned", missing: "missing" };

/** What the check of an email found. */
export function CheckResult({ result }: { result: EmailCheck }) {
  const { tone, label } = VERDICTS[result.result];
  return (
    <Panel title="Check">
      <Stack gap="md">
        <div role="status">
          <Status tone={tone} label={label} />
        </div>
        {result.findings.length > 0 && (
          <ItemList label="Findings">
            {result.findings.map(({ level, code, message }) => (
              <ItemRow
                key={`${code} ${message}`}
                title={
                  <Group gap="xs" wrap="nowrap" align="baseline">
                    <StatusDot tone={level === "error" ? "failed" : "waiting"} />
                    <span>
                      {LEVELS[level]}: {typographic(message)}
                    </span>
                  </Group>
                }
              />
            ))}
          </ItemList>
        )}
        <CheckFacts result={result} />
        {result.text !== "" && (
          <details className={classes.version}>
            <summary>Text version</summary>
            <pre className={classes.sunken}>{result.text}</pre>
          </details>
        )}
        <Text size="sm" c="dimmed">
          Nothing was sent. Check again after changes.
        </Text>
      </Stack>
    </Panel>
  );
}

function CheckFacts({ result }: { result: EmailCheck }) {
  const { recipients, authentication, size, images, image_details: weight } = result;
  const { spam, wait_seconds: wait } = result;
  const reached = recipients.filter(({ outcome }) => outcome === "deliver").length;
  return (
    <DescriptionList
      items={{
        Recipients: `${reached} of ${pluralize(recipients.length, "recipient")} can receive it`,
        Authentication: authentication && (
          <>
            SPF {SPF[authentication.spf]}, DKIM {authentication.dkim}, DMARC{" "}
            {authentication.dmarc ?? "missing"}
          </>
        ),
        Size: formatBytes(size),
        Images: images + weight.embedded_bytes > 0 && (
          <>
            {formatBytes(weight.embedded_bytes)} in the message, {weight.remote} loaded from the web
          </>
        ),
        "Spam score": spam && `${spam.score.toFixed(1)} (spam threshold: ${spam.threshold})`,
        Queue: wait > 0 && `Oldest recipient waiting for ${formatDuration(wait)}`,
      }}
    />
  );
}
