"use client";

import { Anchor, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import {
  CheckAgain,
  CheckList,
  checksQuery,
  ChecksSummary,
} from "#app/console/ui/server-checks.tsx";
import { CodeBlock, InlineCode } from "#app/console/ui/code.tsx";
import { pluralize, toSentence } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status, type StatusTone } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Timeline, TimelineEntry } from "#app/console/ui/details.tsx";

import { type Finding, listFindings, type Todo, TODOS } from "./findings.ts";
import type { Health } from "./queries.ts";

const TONES: Record<Todo, StatusTone> = {
  now: "failed",
  soon: "waiting",
  wait: "info",
  check: "none",
};

/** All that is wrong with the server, by what to do about it, and the checks that passed. */
export function FindingList({ health }: { health: Health }) {
  const checks = useQuery(checksQuery);
  return (
    <QueryView query={checks} noun="the checks" skeleton={<Skeleton height={280} radius="lg" />}>
      {(answer) => {
        const groups = Map.groupBy(listFindings(health, answer.data), ({ todo }) => todo);
        const passed = answer.data.filter(({ state }) => state === "ok");
        return (
          <Stack gap="md">
            {(Object.keys(TODOS) as Todo[]).map((todo) => (
              <FindingGroup key={todo} todo={todo} findings={groups.get(todo) ?? []} />
            ))}
            <Panel title="Checks" aside={<CheckAgain answer={answer} />}>
              <Stack gap="sm">
                {groups.size === 0 && <Status tone="done" label="Nothing to fix" />}
                <ChecksSummary answer={answer} />
                {passed.length > 0 && (
                  <details>
                    <summary>Show {pluralize(passed.length, "passed check")}</summary>
                    <CheckList label="Passed checks" checks={passed} />
                  </details>
                )}
              </Stack>
            </Panel>
          </Stack>
        );
      }}
    </QueryView>
  );
}

function FindingGroup({ todo, findings }: { todo: Todo; findings: Finding[] }) {
  if (findings.length === 0) return null;
  const { title, help } = TODOS[todo];
  return (
    <Panel title={`${title} (${findings.length})`} aside={<Text c="dimmed">{help}</Text>}>
      <Timeline>
        {findings.map(({ key, subject, found, advice, command, link, at }) => (
          <TimelineEntry
            key={key}
            tone={TONES[todo]}
            title={
              <>
                {subject}: <InlineCode text={toSentence(found)} />
              </>
            }
            aside={
              at && (
                <>
                  {at.label} <RelativeTime at={at.time} />
                </>
              )
            }
          >
            {advice && <InlineCode text={toSentence(advice)} />}
            {command && <CodeBlock code={command} label="command" />}
            {link && (
              <div>
                <Anchor component={Link} underline="always" href={link.href}>
                  {link.label}
                </Anchor>
              </div>
            )}
          </TimelineEntry>
        ))}
      </Timeline>
    </Panel>
  );
}
