import { readToken } from "../calls/headers.ts";
import { definePage } from "../definitions/route.ts";

/** A page, not a route of the API: the records of the sandbox as one HTML file. */
export const pages = [
  definePage({
    path: "/_sandbox/trace",
    method: "GET",
    handle: async (call, { writeTrace }) => {
      const file = await writeTrace(readToken(call));
      // Clients of the test API read JSON only.
      const isJson = call.url.searchParams.get("as") === "json";
      return {
        status: 200,
        headers: {
          "content-type": isJson ? "application/json" : "text/html; charset=utf-8",
          // It is for a file: as a page of this origin it could call the control routes.
          "content-disposition": 'attachment; filename="pix-sandbox-trace.html"',
        },
        body: isJson ? JSON.stringify({ html: file }) : file,
      };
    },
  }),
];
