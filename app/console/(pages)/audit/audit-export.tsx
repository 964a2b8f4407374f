"use client";

import { Button, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useEffect, useRef, useState } from "react";

import { formatCount } from "#app/console/ui/format.ts";
import { toast } from "#app/console/ui/toast.tsx";

import { AuditExportButton } from "./audit-export-button.tsx";
import type { AuditFilterValues } from "./queries.ts";
import type { Format } from "./write-export.ts";

// Loaded on the first click: few visits export the log.
const ExportMenu = dynamic(
  () => import("./audit-export-menu.tsx").then((module) => module.AuditExportMenu),
  {
    ssr: false,
    loading: () => <AuditExportButton aria-busy="true" />,
  },
);

/** Exports the filtered entries, page by page. */
export function AuditExport({ filters }: { filters: AuditFilterValues }) {
  const [isMenuRequested, setIsMenuRequested] = useState(false);
  const [exported, setExported] = useState(0);
  const abortController = useRef(new AbortController());
  useEffect(() => {
    const { current } = abortController;
    return () => current.abort();
  }, []);
  const exporting = useMutation({
    async mutationFn(format: Format) {
      setExported(0);
      abortController.current = new AbortController();
      const { writeExport } = await import("./write-export.ts");
      const { signal } = abortController.current;
      return writeExport({ filters, format, signal, onProgress: setExported });
    },
    onError: (error) => toast(`Export failed: ${error.message}`),
  });
  if (exporting.isPending)
    return (
      <>
        <Text role="status" size="sm" c="dimmed" style={{ alignSelf: "center" }}>
          Exporting… {formatCount(exported)} entries
        </Text>
        <Button variant="default" onClick={() => abortController.current.abort()}>
          Cancel export
        </Button>
      </>
    );
  function handleChoice(format: Format) {
    setIsMenuRequested(false);
    exporting.mutate(format);
  }
  if (!isMenuRequested)
    return <AuditExportButton aria-haspopup="menu" onClick={() => setIsMenuRequested(true)} />;
  return <ExportMenu onChoose={handleChoice} />;
}
