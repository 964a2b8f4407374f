"use client";

import { Button, Menu, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import { toast } from "#app/console/ui/toast.ts";

import type { AuditFilters } from "./queries.ts";
import type { Format } from "./write-export.ts";

/** What the filters show as a file, however much it is: read and written piece by piece. */
export function Export({ filters }: { filters: AuditFilters }) {
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
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={14} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => exporting.mutate("csv")}>As CSV</Menu.Item>
        <Menu.Item onClick={() => exporting.mutate("json")}>As JSON</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
