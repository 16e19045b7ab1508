// MPI: opaque handles.
#pragma once
typedef struct mpi_comm *MPI_Comm;
typedef struct mpi_datatype *MPI_Datatype;
typedef struct mpi_op *MPI_Op;
typedef struct mpi_request *MPI_Request;
struct MPI_Status { int MPI_SOURCE, MPI_TAG, MPI_ERROR; };
extern MPI_Comm MPI_COMM_WORLD, MPI_COMM_NULL;
extern MPI_Datatype MPI_DATATYPE_NULL, MPI_BYTE, MPI_CHAR, MPI_INT, MPI_FLOAT, MPI_DOUBLE, MPI_LONG, MPI_UNSIGNED, MPI_UNSIGNED_LONG_LONG, MPI_INT64_T;
extern MPI_Op MPI_SUM, MPI_MAX, MPI_MIN;
extern MPI_Request MPI_REQUEST_NULL;
#define MPI_SUCCESS 0
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_MAX_PROCESSOR_NAME 256
#define MPI_INFO_NULL 0
#define MPI_COMM_TYPE_SHARED 1
#define MPI_PROC_NULL (-2)
#define MPI_THREAD_MULTIPLE 3
#define MPI_IN_PLACE ((void *)-1)
#define MPI_MAX_ERROR_STRING 512
template <class... A> int MPI_Init(A &&...arguments);
template <class... A> int MPI_Init_thread(A &&...arguments);
template <class... A> int MPI_Finalize(A &&...arguments);
template <class... A> int MPI_Comm_rank(A &&...arguments);
template <class... A> int MPI_Comm_size(A &&...arguments);
template <class... A> int MPI_Comm_split(A &&...arguments);
template <class... A> int MPI_Comm_split_type(A &&...arguments);
template <class... A> int MPI_Comm_free(A &&...arguments);
template <class... A> int MPI_Send(A &&...arguments);
template <class... A> int MPI_Recv(A &&...arguments);
template <class... A> int MPI_Isend(A &&...arguments);
template <class... A> int MPI_Irecv(A &&...arguments);
template <class... A> int MPI_Sendrecv(A &&...arguments);
template <class... A> int MPI_Wait(A &&...arguments);
template <class... A> int MPI_Waitall(A &&...arguments);
template <class... A> int MPI_Bcast(A &&...arguments);
template <class... A> int MPI_Reduce(A &&...arguments);
template <class... A> int MPI_Allreduce(A &&...arguments);
template <class... A> int MPI_Gather(A &&...arguments);
template <class... A> int MPI_Scatter(A &&...arguments);
template <class... A> int MPI_Allgather(A &&...arguments);
template <class... A> int MPI_Alltoall(A &&...arguments);
template <class... A> int MPI_Barrier(A &&...arguments);
template <class... A> int MPI_Abort(A &&...arguments);
template <class... A> int MPI_Get_processor_name(A &&...arguments);
template <class... A> int MPI_Error_string(A &&...arguments);
template <class... A> int MPI_Finalized(A &&...arguments);
template <class... A> int MPI_Initialized(A &&...arguments);
template <class... A> int MPI_Reduce_scatter(A &&...arguments);
template <class... A> int MPI_Allgatherv(A &&...arguments);
double MPI_Wtime();
