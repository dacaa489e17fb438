package abi

const pthreadMutexSize = 48
