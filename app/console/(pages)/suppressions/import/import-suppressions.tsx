"use client";

import { Stack } from "@mantine/core";
import { useEffect } from "react";

import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import { ChooseFile } from "./choose-file.tsx";
import { Preview } from "./preview.tsx";
import { Progressing } from "./progressing.tsx";
import { Result } from "./result.tsx";
import { useImport } from "./use-import.ts";

const LIST = "/console/suppressions";

export function ImportSuppressions() {
  const { state, lines, ...acts } = useImport();
  useAskBeforeLeaving(state.stage === "adding");
  return (
    <>
      <Breadcrumbs trail={[{ label: "Suppressions", href: LIST }]} />
      <PageHeader
        title="Import suppressions"
        sentence="Addresses from a file. Nothing is written before you have seen what it would do."
      />
      <Panel>
        <Stack gap="md">
          {state.stage === "choosing" && <ChooseFile error={state.error} onFile={acts.start} />}
          {(state.stage === "reading" ||
            state.stage === "checking" ||
            state.stage === "adding") && (
            <Progressing state={state} onGoOn={acts.goOn} onCancel={acts.startOver} />
          )}
          {state.stage === "checked" && (
            <Preview state={state} lines={lines()} onAdd={acts.add} onCancel={acts.startOver} />
          )}
          {state.stage === "done" && (
            <Result state={state} lines={lines()} onAgain={acts.startOver} />
          )}
        </Stack>
      </Panel>
    </>
  );
}

function useAskBeforeLeaving(isAsked: boolean) {
  useEffect(() => {
    if (!isAsked) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isAsked]);
}
