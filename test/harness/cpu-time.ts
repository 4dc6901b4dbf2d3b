/** The milliseconds that this thread has worked so far: what else the machine does counts for nothing. */
export const cpuMilliseconds = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
