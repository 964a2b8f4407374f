"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { NoVerifiedDomain } from "#app/console/(pages)/mailboxes/parts.tsx";
import { mailboxOptionsQuery } from "#app/console/(pages)/mailboxes/queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";

import { ColumnMapping, ImportListInput } from "./import-input.tsx";
import { ImportRun } from "./import-run.tsx";
import { type NumberedLine, parseList, type ParsedList } from "./parse-list.ts";
import { checkLines } from "./queries.ts";

export function ImportMailboxes() {
  const options = useQuery(mailboxOptionsQuery);
  const mayCreate = usePrivileges().has("create_users");
  return (
    <>
      <Breadcrumbs trail={[{ label: "Mailboxes", href: "/console/mailboxes" }]} />
      <PageHeader
        title="Import mailboxes"
        description="Create mailboxes from a list. You can review the result before anything is created."
        help="moving"
      />
      <QueryView
        query={options}
        noun="your domains"
        skeleton={
          <Panel>
            <SkeletonLines count={10} />
          </Panel>
        }
      >
        {(options) => {
          const isPossible = mayCreate && options.domains.length > 0;
          if (isPossible) return <ImportSteps example={options.domains[0]!} />;
          return (
            <Panel>
              {mayCreate ? (
                <NoVerifiedDomain />
              ) : (
                "You don’t have permission to create mailboxes. Ask an owner of your company."
              )}
            </Panel>
          );
        }}
      </QueryView>
    </>
  );
}

function ImportSteps({ example }: { example: string }) {
  const [text, setText] = useState("");
  const [list, setList] = useState<ParsedList | null>(null);
  const [lines, setLines] = useState<NumberedLine[]>([]);
  const trial = useMutation({ mutationFn: checkLines });

  const attempt = (wanted: NumberedLine[]) => {
    setLines(wanted);
    trial.mutate(wanted);
  };
  if (trial.data)
    return (
      <ImportRun
        lines={lines}
        checked={trial.data}
        isTrying={trial.isPending}
        onTryAgain={() => attempt(lines)}
        onBack={trial.reset}
      />
    );
  if (list)
    return (
      <ColumnMapping
        list={list}
        isPending={trial.isPending}
        error={trial.error}
        onTry={attempt}
        onBack={() => {
          trial.reset();
          setList(null);
        }}
      />
    );
  return (
    <ImportListInput
      text={text}
      example={example}
      onChange={setText}
      onRead={async () => setList(await parseList(text))}
    />
  );
}
