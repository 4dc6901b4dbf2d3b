/**
 * Calls `end` after this time unless the returned function is called before. What came while the process was busy is
 * read first: timers run before sockets are read (https://nodejs.org/learn/asynchronous-work/event-loop-timers-and-nexttick),
 * and an upstream is not to blame for our own delay.
 */
export const startTimeLimit = (milliseconds: number, end: () => void): (() => void) => {
  let afterReading: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    afterReading = setImmediate(end);
  }, milliseconds);
  return () => {
    clearTimeout(timer);
    clearImmediate(afterReading);
  };
};
