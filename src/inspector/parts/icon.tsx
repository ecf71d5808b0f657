/** A sign, drawn in a square of 16. */
export function Icon({ path }: { readonly path: string }) {
  return (
    <svg
      class="drawn"
      viewBox="0 0 16 16"
      width="16"
      height="16"
      aria-hidden="true"
      focusable="false"
    >
      <path d={path} />
    </svg>
  );
}

export const ICONS = {
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  done: "M3 8.5l3.5 3.5L13 4.5",
  code: "M5 4L1.5 8L5 12M11 4l3.5 4L11 12M9.5 3l-3 10",
  down: "M4.5 6.5L8 10l3.5-3.5",
  close: "M4 4l8 8M12 4l-8 8",
  dots: "M3 7.5v1M8 7.5v1M13 7.5v1M2.5 8h1M7.5 8h1M12.5 8h1",
  clock: "M8 1.8a6.2 6.2 0 100 12.4a6.2 6.2 0 000-12.4zM8 4.5v3.7l2.5 1.5",
  fault: "M9 1.5L3 9h4l-.5 5.5L13 7H8.5z",
  search: "M7 2.5a4.5 4.5 0 100 9a4.5 4.5 0 000-9zM10.3 10.3L14 14",
} as const;
