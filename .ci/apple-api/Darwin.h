int kill(int process, int signal);
