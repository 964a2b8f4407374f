"use client";

import { Button, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useEffect, useRef, useState } from "react";

import { toast } from "#app/console/ui/toast.ts";

import { ExportButton } from "./export-button.tsx";
import type { AuditFilters } from "./queries.ts";
import type { Format } from "./write-export.ts";

// Few who read the log take it along.
const ExportMenu = dynamic(() => import("./export-menu.tsx").then((module) => module.ExportMenu), {
  ssr: false,
  loading: () => <ExportButton aria-busy="true" />,
});

/** What the filters show as a file, however much it is: read and written piece by piece. */
export function Export({ filters }: { filters: AuditFilters }) {
  const [isAsked, setIsAsked] = useState(false);
  const [written, setWritten] = useState(0);
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const { current } = leaving;
    return () => current.abort();
  }, []);
  const exporting = useMutation({
    async mutationFn(format: Format) {
      setWritten(0);
      leaving.current = new AbortController();
      const { writeExport } = await import("./write-export.ts");
      const { signal } = leaving.current;
      return writeExport({ filters, format, signal, onProgress: setWritten });
    },
    onError: (error) => toast(`The export failed: ${error.message}`),
  });
  if (exporting.isPending)
    return (
      <>
        <Text role="status" size="sm" c="dimmed" style={{ alignSelf: "center" }}>
          {written.toLocaleString("en")} entries
        </Text>
        <Button variant="default" onClick={() => leaving.current.abort()}>
          Stop
        </Button>
      </>
    );
  function handleChoice(format: Format) {
    setIsAsked(false);
    exporting.mutate(format);
  }
  if (!isAsked) return <ExportButton aria-haspopup="menu" onClick={() => setIsAsked(true)} />;
  return <ExportMenu onChoose={handleChoice} />;
}
